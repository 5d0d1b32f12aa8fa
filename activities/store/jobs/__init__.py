"""Jobs: their rows behind their locks, how they come to be, who runs them, their log and their artifacts."""
