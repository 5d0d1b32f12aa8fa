"""What some kinds of job keep beside their job: analyses, batches, generations."""
