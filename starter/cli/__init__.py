"""The command line. ``guidesmith --help`` has to be instant: every command imports what it needs when it runs."""


def main() -> None:
    """The ``guidesmith`` command."""
    from starter.cli.app import run

    run()
