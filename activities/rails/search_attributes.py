"""By what an operator finds jobs in the Temporal UI."""

from temporalio.common import SearchAttributeKey, SearchAttributePair, TypedSearchAttributes

KIND = SearchAttributeKey.for_keyword("GuidesmithKind")
STATUS = SearchAttributeKey.for_keyword("GuidesmithStatus")
OWNER = SearchAttributeKey.for_keyword("GuidesmithOwner")
FAILURE_CODE = SearchAttributeKey.for_keyword("GuidesmithFailureCode")

ATTRIBUTES: dict[str, str] = {key.name: "Keyword" for key in (KIND, STATUS, OWNER, FAILURE_CODE)}
"""Name to type: what a namespace must know before the first job starts."""

AT_WORK = "RUNNING"
"""The status of a task whose workflow runs, as its row has it."""


def of_task(what: str, owner: str | None, *, live: bool) -> TypedSearchAttributes:
    """What a task's workflow is found by. ``owner``: ``None`` where whoever asks for it does not say it."""
    if owner is None:
        return TypedSearchAttributes.empty
    pairs = [SearchAttributePair(KIND, what), SearchAttributePair(OWNER, owner)]
    return TypedSearchAttributes([*pairs, SearchAttributePair(STATUS, AT_WORK)] if live else pairs)
