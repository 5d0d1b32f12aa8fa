"""Analyses: tables, plans, and the rules that a plan must keep."""
