"""The lifecycles: the table of each kind of job, and the rules by which a job moves along it."""
