"""Lifecycles and health."""

from typing import Literal

from pydantic import (
    ConfigDict,
    Field,
)

from starter.api.shapes.base import Shape


class TransitionAnswer(Shape):
    model_config = ConfigDict(frozen=True, populate_by_name=True)

    from_: str | None = Field(alias="from")
    to: str
    triggers: tuple[str, ...]
    note: str
    action: str | None


class LifecycleAnswer(Shape):
    kind: str
    statuses: tuple[str, ...]
    initial: str
    terminals: tuple[str, ...]
    checkpoints: tuple[str, ...]
    repeats_are_noops: bool = Field(description="A move to the status that a job has changes nothing, and succeeds.")
    transitions: tuple[TransitionAnswer, ...]


class Alive(Shape):
    status: Literal["ok"] = "ok"


class Readiness(Shape):
    status: Literal["ready", "not ready"]
    checks: dict[str, str] = Field(description="database, engine, artifacts: ok, or what is wrong.")
