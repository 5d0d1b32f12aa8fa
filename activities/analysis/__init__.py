"""Analyses: a requirement in words over uploaded tables becomes a plan, and the plan becomes tables, charts, a report.

``reading`` reads what was uploaded, ``planning`` drafts the plan, ``executor`` computes it. Whatever touches the data
itself runs in a confined process (``reading.reader`` and ``runner``, with what they import); the rest sees profiles,
plans and results.
"""
