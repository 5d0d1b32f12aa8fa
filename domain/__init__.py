"""The rules of the product: lifecycles, errors, documents. No I/O, no clock, no framework but pydantic.

A workflow, an activity and the API all call these same functions, so a rule stands once.
"""
