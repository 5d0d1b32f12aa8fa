"""Jobs of every kind over HTTP: projects, the job, its history, events and transcript, the tables."""
