# Who else has a guide open.
present = Also here
