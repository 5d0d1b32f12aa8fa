"""What every page stands on: the gate, the context of a request, drawing, strings, built files, and how jobs are summed up."""
