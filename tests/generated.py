"""A client that was generated from the API's description, and from nothing else.

Generated anew by whoever asks, into a folder of the test's; it needs no network. What it cannot be told by the
description it does not know: an operation that is missing, a status or a field that is not described, fails here.
"""

import importlib
import inspect
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

PACKAGE = "guidesmith_client"


class GeneratedClient:
    """The generated package's operations by name.

    Args:
        package: The generated package.
        url: Where the API is.
        token: For whom it speaks.
    """

    def __init__(self, package: str, url: str, token: str) -> None:
        client = importlib.import_module(f"{package}.client")
        self._client = client.AuthenticatedClient(
            base_url=url, token=token, raise_on_unexpected_status=True, timeout=60.0
        )
        self._operations = {module.__name__.rpartition(".")[2]: module for module in _operations(package)}

    @property
    def names(self) -> set[str]:
        return set(self._operations)

    def ask(self, name: str, /, *, status: int | tuple[int, ...] = 200, body: Any = None, **arguments: Any) -> Any:
        """What the operation answers, as an object of the generated package. ``body`` is plain JSON."""
        call = self._operations[name].sync_detailed
        if body is not None:
            declared = inspect.signature(call).parameters["body"].annotation
            shapes = [each for each in (declared, *get_args(declared)) if hasattr(each, "from_dict")]
            arguments["body"] = shapes[0].from_dict(body)
        answer = call(client=self._client, **arguments)
        wanted = status if isinstance(status, tuple) else (status,)
        assert answer.status_code in wanted, f"{name}: {answer.status_code}: {answer.content[:500]!r}"
        return answer.parsed

    def close(self) -> None:
        self._client.get_httpx_client().close()


@contextmanager
def generated_client(schema: dict[str, Any], folder: Path, url: str, token: str) -> Iterator[GeneratedClient]:
    """Generate a client for ``schema`` in ``folder``, and hold it until the block ends."""
    described, settings = folder / "openapi.json", folder / "generator.json"
    described.write_text(json.dumps(schema))
    settings.write_text(json.dumps({"post_hooks": [], "package_name_override": PACKAGE}))
    command = [
        "generate",
        "--path",
        described,
        "--config",
        settings,
        "--meta",
        "none",
        "--output-path",
        folder / PACKAGE,
    ]
    done = subprocess.run(
        [sys.executable, "-m", "openapi_python_client", *map(str, command)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "will not be generated" not in done.stdout, done.stdout
    sys.path.insert(0, str(folder))
    try:
        client = GeneratedClient(PACKAGE, url, token)
        yield client
        client.close()
    finally:
        sys.path.remove(str(folder))
        for name in [each for each in sys.modules if each.partition(".")[0] == PACKAGE]:
            del sys.modules[name]


def _operations(package: str) -> Iterator[ModuleType]:
    root = Path(importlib.import_module(package).__path__[0])
    for file in sorted((root / "api").glob("*/*.py")):
        if file.stem != "__init__":
            yield importlib.import_module(f"{package}.api.{file.parent.name}.{file.stem}")
