"""A server of confined processes (``activities/confined/server.py``) that a test run keeps.

Else one that nobody asks for two minutes ends, and to load its libraries again takes up to two seconds of a processor.
"""

from activities.confined import server

LASTS_S = 2 * 3600.0

if __name__ == "__main__":
    server.IDLE_S = server.LASTS_S = LASTS_S
    server.main()
