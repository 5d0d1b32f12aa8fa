"""What runs by the clock: reconciling with Temporal, and sweeping what nobody will come back for."""
