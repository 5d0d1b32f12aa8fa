"""The one-command stack: Temporal, a worker and the API on this machine, with everything in one folder."""
