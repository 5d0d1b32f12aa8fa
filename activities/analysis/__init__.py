"""Analyses: a requirement in words over uploaded tables becomes a plan, and the plan becomes tables, charts, a report.

``inputs`` reads what was uploaded, ``planner`` and ``chat`` draft the plan, ``executor`` computes it. Whatever touches
the data itself runs in a confined process (``reader`` and ``runner``, with what they import); the rest sees profiles,
plans and results.
"""
