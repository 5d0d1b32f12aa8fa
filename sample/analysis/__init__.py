"""A table of sales with a known truth, and a requirement over it: the sample of the analyses."""
