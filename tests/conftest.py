"""Fixtures that every layer of tests shares."""

pytest_plugins = (
    "tests.temporal",
    "tests.objectstores",
    "tests.databases",
    "tests.apis",
    "tests.integration.api_pairs",
)
