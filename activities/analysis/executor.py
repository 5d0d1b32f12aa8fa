"""Computes a frozen plan over its tables, in a confined process, into files: tables, charts, a report.

What may go wrong is told as the taxonomy has it; whatever is said to people holds nothing of the data.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from activities.analysis.basis import words
from activities.analysis.plotting import Drawing
from activities.analysis.reading.inputs import CONFINED_ENVIRONMENT, confined_bounds, engine_mib
from activities.analysis.report import StepResult, report
from activities.analysis.sql import Computed, computation, input_relation
from activities.confined.outside import Bounds, Died, Overran, Report, moved, reports
from domain.analyses.plan import FrozenPlan
from domain.analyses.plan_rules import Schema, check_plan, results
from domain.analyses.steps import Chart, Step
from domain.analyses.table import TableProfile
from domain.errors import AnalysisFailed, AnalysisLimitExceeded

RUNNER = Path(__file__).with_name("runner.py")
LOADS = ("activities.analysis.computing",)
REPORT = "report.md"
CHARTS_SHARE = 0.1
"""Of the progress: drawing and writing the report."""

FILES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "parquet": "application/vnd.apache.parquet",
}
"""What a result is written as."""

OnStep = Callable[[float, str], None]
"""Told the share that is done, 0 to 1, and the id of the step at work, several times a second. May raise ``Cancelled``,
which ends the process at once."""


@dataclass(frozen=True, slots=True)
class RunLimits:
    """What computing a plan may take: address space, seconds of one step and of all, rows of a result, bytes of one
    file, of temporary space, and of all results together."""

    memory_bytes: int = 2 << 30
    step_seconds: float = 120.0
    seconds: float = 600.0
    rows: int = 1_000_000
    file_bytes: int = 1 << 30
    spill_bytes: int = 4 << 30
    results_bytes: int = 4 << 30


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file that a run made. ``name`` is safe in paths, archives and URLs: it is made of numbers and step ids."""

    name: str
    path: Path
    media_type: str
    step: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """``rows`` is how many each step has; ``held`` are the layers of confinement that held (see ``confined``)."""

    artifacts: tuple[Artifact, ...]
    rows: Mapping[str, int]
    held: tuple[str, ...]


def execute(
    frozen: FrozenPlan,
    tables: Sequence[TableProfile],
    parquet: Mapping[str, Path],
    out: Path,
    *,
    limits: RunLimits = RunLimits(),
    scratch: Path | None = None,
    on_step: OnStep = lambda share, step: None,
) -> Outcome:
    """Compute the plan; its files are put into the folder ``out`` when all are there.

    Args:
        tables: As the inputs were prepared; ``parquet`` is where each is.
        scratch: Where a folder for the work is made; gone when this returns.

    Raises:
        PlanInvalid: The plan does not fit the tables.
        AnalysisLimitExceeded: A step needs more time, memory or rows than it may have.
        AnalysisFailed: A step cannot be computed.
        Cancelled: ``on_step`` raised it. Nothing is left, and nothing is in ``out``.
    """
    schemas = check_plan(frozen.plan, tables)
    steps = list(computation(frozen.plan, schemas))
    with TemporaryDirectory(prefix="guidesmith-analysis-", dir=scratch) as folder:
        root = Path(folder).resolve()
        run = _Run(frozen, tables, schemas, steps, root)
        run.compute(parquet, limits, on_step)
        run.draw(scratch, on_step)
        run.write_report()
        return run.handed_over(out, limits.file_bytes)


def confinement(limits: RunLimits = RunLimits()) -> tuple[str, ...]:
    """The layers of confinement that hold on this machine, of a process that is ready to compute.

    Raises:
        AnalysisFailed: It does not come up within its limits.
    """
    with TemporaryDirectory(prefix="guidesmith-analysis-") as folder:
        root = Path(folder).resolve()
        order = {
            "folder": str(root),
            "tables": {},
            "steps": [],
            "most_rows": limits.rows,
            "memory_mib": engine_mib(limits.memory_bytes),
            "spill_mib": limits.spill_bytes >> 20,
        }
        bounds = _bounds(limits)
        environment = {**CONFINED_ENVIRONMENT, "TMPDIR": str(root), "HOME": str(root)}
        try:
            (first, *_) = reports(RUNNER, order, bounds, environment=environment, cwd=root)
        except (Overran, Died):
            raise AnalysisFailed(
                "A process that computes does not come up. Give it more with GUIDESMITH_ANALYSIS_MEMORY_BYTES."
            ) from None
    return tuple(first["held"])


def _bounds(limits: RunLimits) -> Bounds:
    return confined_bounds(
        limits.memory_bytes,
        limits.seconds,
        limits.file_bytes,
        folder_bytes=limits.spill_bytes + limits.results_bytes,
        silence_seconds=limits.step_seconds,
    )


class _Run:
    """One run, in its folder."""

    def __init__(
        self,
        frozen: FrozenPlan,
        tables: Sequence[TableProfile],
        schemas: Mapping[str, Schema],
        steps: Sequence[Computed],
        root: Path,
    ) -> None:
        self._frozen = frozen
        self._tables = tables
        self._schemas = schemas
        self._steps = steps
        self._root = root
        self._stems = {each.step.id: _stem(place, each.step) for place, each in enumerate(steps, start=1)}
        self._given_out = {step.id for step in results(frozen.plan)}
        self._made: dict[str, Report] = {}
        self._artifacts: list[Artifact] = []
        self._held: tuple[str, ...] = ()

    def compute(self, parquet: Mapping[str, Path], limits: RunLimits, on_step: OnStep) -> None:
        tables = {input_relation(name): str(path.resolve()) for name, path in parquet.items()}
        order = {
            "folder": str(self._root),
            "tables": tables,
            "steps": [self._ordered(place, computed) for place, computed in enumerate(self._steps, start=1)],
            "most_rows": limits.rows,
            "memory_mib": engine_mib(limits.memory_bytes),
            "spill_mib": limits.spill_bytes >> 20,
        }
        bounds = _bounds(limits)
        environment = {**CONFINED_ENVIRONMENT, "TMPDIR": str(self._root), "HOME": str(self._root)}

        def poll() -> None:
            on_step((1 - CHARTS_SHARE) * len(self._made) / len(self._steps), self._at())

        try:
            how: Any = {"environment": environment, "cwd": self._root, "on_poll": poll, "loads": LOADS}
            running = reports(RUNNER, order, bounds, **how)
            with closing(running):
                for message in running:
                    self._note(message, limits)
        except Overran:
            raise self._limit("needs more time than it may have") from None
        except Died:
            raise self._limit("needs more memory than it may have") from None

    def draw(self, scratch: Path | None, on_step: OnStep) -> None:
        charts = [(place, each.step, each.step.operation) for place, each in enumerate(self._steps, start=1)]
        drawings, names = [], []
        for place, step, operation in charts:
            if isinstance(operation, Chart):
                made = self._made[step.id]
                cut = made["rows"] > len(made["drawn"])
                drawings.append(Drawing(step.title, operation, self._schemas[step.needs[0]], made["drawn"], cut))
                names.append((f"charts/{_stem(place, step)}.png", step.id))
        from activities.analysis.charts import png_charts  # brings the typesetter along

        pictures = png_charts(drawings, scratch, lambda: on_step(1 - CHARTS_SHARE / 2, names[0][1]))
        for (name, step_id), picture in zip(names, pictures, strict=True):
            self._add(name, "image/png", step_id).write_bytes(picture)

    def write_report(self) -> None:
        made = {
            computed.step.id: StepResult(
                step=computed.step,
                rows=self._made[computed.step.id]["rows"],
                schema=self._schemas[computed.step.id],
                shown=self._made[computed.step.id].get("shown"),
                tied=self._made[computed.step.id].get("tied", 0),
                files=tuple(each.name for each in self._artifacts if each.step == computed.step.id),
            )
            for computed in self._steps
        }
        text = report(self._frozen, self._tables, made)
        self._add(REPORT, "text/markdown; charset=utf-8", None).write_text(text, encoding="utf-8")

    def handed_over(self, out: Path, most_bytes: int) -> Outcome:
        placed = []
        for artifact in self._artifacts:
            target = out / artifact.name
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                moved(artifact.path.parent, artifact.path.name, target, most_bytes)
            except Died:
                raise AnalysisFailed("The analysis left something that is no file. Run it again.") from None
            placed.append(Artifact(artifact.name, target, artifact.media_type, artifact.step))
        rows = {id: made["rows"] for id, made in self._made.items()}
        return Outcome(tuple(placed), rows, self._held)

    def _ordered(self, place: int, computed: Computed) -> Report:
        step = computed.step
        return {
            "id": step.id,
            "sql": computed.query.sql,
            "values": list(computed.query.values),
            "relation": computed.relation if computed.kept else None,
            "file": self._stems[step.id] if step.id in self._given_out else None,
            "words": words(self._frozen, self._tables, step) if step.id in self._given_out else None,
            "chart": isinstance(step.operation, Chart),
            "tied": None if computed.tied is None else [computed.tied.sql, list(computed.tied.values)],
        }

    def _note(self, message: Report, limits: RunLimits) -> None:
        if "held" in message:
            self._held = tuple(message["held"])
            return
        if "failed" in message:
            raise self._failed(message["failed"], limits)
        step, made = message["step"], message["made"]
        self._made[step] = made
        for kind, media_type in FILES.items():
            if kind in made:
                name = f"{self._stems[step]}.{kind}"
                moved(self._root, name, self._add(f"tables/{name}", media_type, step), limits.file_bytes)

    def _add(self, name: str, media_type: str, step: str | None) -> Path:
        path = self._root / "out" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        self._artifacts.append(Artifact(name, path, media_type, step))
        return path

    def _at(self) -> str:
        """The step at work: the first that has not been told of."""
        return next((each.step.id for each in self._steps if each.step.id not in self._made), self._steps[-1].step.id)

    def _failed(self, why: str, limits: RunLimits) -> AnalysisFailed:
        if why == "memory":
            return self._limit("needs more memory than it may have")
        if why == "rows":
            return self._limit(f"gives more than {limits.rows:,} rows")
        step = self._at()
        if why == "numbers":
            return AnalysisFailed(
                f"Step {step!r} computes numbers that are too large, or converts values that it cannot. Change it.",
                details={"step": step},
            )
        return AnalysisFailed(f"Step {step!r} cannot be computed from this data. Change it.", details={"step": step})

    def _limit(self, what: str) -> AnalysisLimitExceeded:
        step = self._at()
        return AnalysisLimitExceeded(
            f"Step {step!r} {what}. Filter or group the rows before it, or use a smaller input.",
            details={"step": step},
        )


def _stem(place: int, step: Step) -> str:
    """Of an artifact's name: a step id has lower-case letters, digits and underscores only."""
    return f"{place:02}-{step.id.replace('_', '-')}"
