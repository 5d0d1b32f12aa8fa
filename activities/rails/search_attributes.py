"""By what an operator finds jobs in the Temporal UI."""

from temporalio.common import SearchAttributeKey

KIND = SearchAttributeKey.for_keyword("GuidesmithKind")
STATUS = SearchAttributeKey.for_keyword("GuidesmithStatus")
OWNER = SearchAttributeKey.for_keyword("GuidesmithOwner")
FAILURE_CODE = SearchAttributeKey.for_keyword("GuidesmithFailureCode")

ATTRIBUTES: dict[str, str] = {key.name: "Keyword" for key in (KIND, STATUS, OWNER, FAILURE_CODE)}
"""Name to type: what a namespace must know before the first job starts."""
