"""What keeps a process quiet and healthy: its memory, what its libraries would send, what its log lines carry."""
