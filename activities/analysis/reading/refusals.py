"""How a confined process says that it refuses a file."""


class Refused(Exception):
    """``code`` is one of the taxonomy's (``TABLE_INVALID``, ``TABLE_NOT_RECOGNISED``, ``TABLE_TOO_LARGE``). ``message``
    goes on after the file's name ("is empty.") and holds nothing of its content."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
