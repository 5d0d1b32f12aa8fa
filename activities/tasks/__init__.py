"""What is done to a document or a picture on request: publishing, writing again, taking, drawing."""
