"""Settings read from files: ``GUIDESMITH_AUTH_SECRET_FILE=/run/secrets/auth`` in place of ``GUIDESMITH_AUTH_SECRET``.

The convention of container images: an orchestrator mounts a secret as a file, which no process listing, crash report or
``docker inspect`` shows, as they show variables.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource

from domain.errors import SettingsInvalid

SUFFIX = "_FILE"

LARGEST_BYTES = 64 * 1024
"""Bytes of the largest secret that is read: a wrong path may lead to anything."""

ALSO = frozenset({"database_url", "rate_limit_storage_url", "s3_access_key_id"})
"""Fields that are no ``SecretStr``, but hold a password or go with one."""


def secret_fields(fields: Mapping[str, FieldInfo]) -> tuple[str, ...]:
    """The fields that may come from a file: every ``SecretStr``, and ``ALSO``."""
    return tuple(name for name, field in fields.items() if name in ALSO or "SecretStr" in str(field.annotation))


def secret_of(variable: str, value: str | None, path: str | None) -> str | None:
    """What the file at ``path`` holds, without line breaks at its end; ``None``: no file is named.

    Args:
        variable: The secret's own, as it is told.
        value: What that variable holds itself.
        path: What its file's variable holds.

    Raises:
        SettingsInvalid: Both are set, or the file cannot be read, is empty, too large or no text. The message names
            variables alone.
    """
    if not path:
        return None
    if value:
        raise SettingsInvalid(f"The settings are wrong. {variable} and {variable}{SUFFIX} are both set: keep one.")
    return _read(f"{variable}{SUFFIX}", path)


def secret_in(environment: Mapping[str, str], variable: str) -> str | None:
    """The secret of ``variable``, which stands in the environment or in the file that it names. Raises as
    :func:`secret_of`."""
    value = environment.get(variable)
    return secret_of(variable, value, environment.get(f"{variable}{SUFFIX}")) or value or None


def _read(variable: str, path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            content = file.read(LARGEST_BYTES + 1)
        text = content.decode("utf-8").rstrip("\r\n")
    except (OSError, ValueError):
        raise SettingsInvalid(f"The settings are wrong. {variable}: names no file that can be read as text.") from None
    if len(content) > LARGEST_BYTES:
        raise SettingsInvalid(f"The settings are wrong. {variable}: its file is larger than {LARGEST_BYTES} bytes.")
    if not text:
        raise SettingsInvalid(f"The settings are wrong. {variable}: its file is empty.")
    return text


class SecretFiles(PydanticBaseSettingsSource):
    """A source of settings beside the environment's own.

    Raises:
        SettingsInvalid: As :func:`secret_of`.
    """

    def __init__(self, settings: type[BaseSettings], environment: PydanticBaseSettingsSource) -> None:
        super().__init__(settings)
        self._variables = environment.env_vars if isinstance(environment, EnvSettingsSource) else {}
        self._prefix = str(self.config.get("env_prefix", ""))

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        """The file's content under the field's name; ``None``: no file is named."""
        named = f"{self._prefix}{field_name}".lower()  # pydantic-settings lowers names, since case does not matter
        value, path = self._variables.get(named), self._variables.get(named + SUFFIX.lower())
        return secret_of(named.upper(), value, path), field_name, False

    def __call__(self) -> dict[str, Any]:
        fields = self.settings_cls.model_fields
        values = {name: self.get_field_value(fields[name], name)[0] for name in secret_fields(fields)}
        return {name: value for name, value in values.items() if value is not None}
