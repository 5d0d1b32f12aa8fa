"""By what an operator finds jobs in the Temporal UI; defined where activities reach it too."""

from activities.rails.search_attributes import ATTRIBUTES, FAILURE_CODE, KIND, OWNER, STATUS

__all__ = ["ATTRIBUTES", "FAILURE_CODE", "KIND", "OWNER", "STATUS"]
