"""How a project's guides look: chosen beside a page that shows it."""
