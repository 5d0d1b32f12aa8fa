"""The lifecycles of jobs, drawn from the code that checks each move."""
