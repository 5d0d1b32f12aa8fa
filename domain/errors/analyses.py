"""Tables, plans, and computing them."""

from domain.errors.base import GuidesmithError


class TableInvalid(GuidesmithError):
    """An input of an analysis that cannot be read as a table, and trying again will not help."""

    code = "TABLE_INVALID"


class TableNotRecognised(TableInvalid):
    """Neither CSV nor Parquet nor a workbook, whatever its name says."""

    code = "TABLE_NOT_RECOGNISED"


class TableTooLarge(TableInvalid):
    """More bytes, rows, columns or memory than the settings allow."""

    code = "TABLE_TOO_LARGE"


class PlanInvalid(GuidesmithError):
    """A plan that its tables cannot bear. ``details`` holds ``issues``, each with a code, a path and a message."""

    code = "PLAN_INVALID"


class DraftNotReady(GuidesmithError):
    """An analysis has no plan yet, or none for what is asked now."""

    code = "DRAFT_NOT_READY"


class PlanningSuperseded(GuidesmithError):
    """What a plan was being drafted for has changed."""

    code = "PLANNING_SUPERSEDED"


class OpenQuestions(GuidesmithError):
    """A plan with blocking questions or unknowns. ``details`` holds their ids as ``open``."""

    code = "OPEN_QUESTIONS"


class PlanConflict(GuidesmithError):
    """Another plan is already frozen for this analysis."""

    code = "PLAN_CONFLICT"


class AnalysisFailed(GuidesmithError):
    """A step cannot be computed from this data. ``details`` holds the ``step``."""

    code = "ANALYSIS_FAILED"


class AnalysisLimitExceeded(AnalysisFailed):
    """A step met a limit of time, memory or rows."""

    code = "ANALYSIS_LIMIT_EXCEEDED"
