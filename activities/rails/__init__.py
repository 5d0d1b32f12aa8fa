"""What every kind of job runs on: stages and what surrounds them, messages, heartbeats, the mirror. Knows no stage."""
