"""What the pages of pictures, generations, analyses and batches share."""
