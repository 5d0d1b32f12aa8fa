"""Canaille, a whole identity provider from a wheel, as a process of its own: one client, one user, in memory.

Asked for by a line of JSON on stdin (port, client, user); says ``ready`` once it listens. After that each line locks
the user, unlocks them, or says for how many seconds ID tokens hold from now on, and is answered.
"""

import json
import os
import sys
import threading
from typing import Any


def main() -> None:
    asked = json.loads(sys.stdin.readline())
    os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
    from canaille import create_app
    from canaille.oidc import provider
    from werkzeug.serving import make_server

    class Renewing(provider.RefreshTokenGrant):  # type: ignore[misc]
        """Gives an ID token with each access token, as most providers do."""

        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments)
            self.register_hook("after_create_token_response", provider.OpenIDCode().process_token)

    provider.RefreshTokenGrant = Renewing
    port, provider.OpenIDCode.DEFAULT_EXPIRES_IN = asked["port"], asked["lifetime_s"]
    app = create_app(
        config={
            "SECRET_KEY": os.urandom(16).hex(),
            "SERVER_NAME": f"localhost:{port}",
            "PREFERRED_URL_SCHEME": "http",
            "CANAILLE": {"DATABASE": "memory", "JAVASCRIPT": False, "HTMX": False},
        },
        env_file="",
    )
    server = make_server("127.0.0.1", port, app, threaded=True)
    with app.app_context():
        _populate(asked)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print("ready", flush=True)  # noqa: T201  (a protocol)
    for line in sys.stdin:
        if line.strip().isdecimal():
            provider.OpenIDCode.DEFAULT_EXPIRES_IN = int(line)
        else:
            with app.app_context():
                _lock(asked["user"]["user_name"], line.strip() == "lock")
        print("done", flush=True)  # noqa: T201  (a protocol)


def _populate(asked: dict[str, Any]) -> None:
    from canaille.app import models
    from canaille.backends import Backend

    user = models.User(**asked["user"])
    Backend.instance.save(user)
    Backend.instance.save(models.Group(display_name=asked["group"], members=[user]))
    client = models.Client(**asked["client"])
    Backend.instance.save(client)
    client.audience = [client]
    Backend.instance.save(client)


def _lock(user_name: str, is_locked: bool) -> None:
    import datetime

    from canaille.app import models
    from canaille.backends import Backend

    user = Backend.instance.get(models.User, user_name=user_name)
    past = datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=1)
    Backend.instance.update(user, lock_date=past if is_locked else None)
    Backend.instance.save(user)


if __name__ == "__main__":
    main()
