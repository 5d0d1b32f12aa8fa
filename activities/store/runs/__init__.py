"""What runs write, guarded by the fence: stages of ours, and those of runners outside."""
