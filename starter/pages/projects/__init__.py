"""Projects and who is in them: folders of jobs that several people work in."""
