"""``python -m starter.cli``: how the local stack starts its own parts, whatever the PATH says."""

from starter.cli import main

if __name__ == "__main__":
    main()
