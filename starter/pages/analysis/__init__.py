"""Analyses: how one begins, its plan and its report."""
