"""What every page stands on: the gate, a context, drawing, strings, built files, and how jobs are summed up."""
