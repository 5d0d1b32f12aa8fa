"""What every page stands on: the gate, a visit, drawing, strings, built files, and how jobs are summed up."""
