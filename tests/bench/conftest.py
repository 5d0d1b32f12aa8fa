"""One Playwright and one browser for all parts that need one: a second cannot start while the first runs."""

from tests.browser.conftest import (  # noqa: F401  (fixtures)
    chromium,
    drafted,
    playwright,
    sample,
    site,
    who,
)
