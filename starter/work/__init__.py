"""The worker: its queues, its health, and what it does for webhooks."""
