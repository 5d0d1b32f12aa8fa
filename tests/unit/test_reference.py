"""The HTTP interface as people read it: all of the description, and every name that is linked is there."""

import re

from starter.api.app import description
from starter.pages.reference.description import Piece, read, words
from starter.pages.reference.view import alone


def test_every_route_and_every_shape_of_the_description_is_on_the_page_and_every_link_leads_somewhere() -> None:
    schema = description()
    page = alone()
    routes = {
        f"{method.upper()} {path}"
        for path, methods in schema["paths"].items()
        for method, told in methods.items()
        if "responses" in told
    }
    shown = re.findall(r'<span class="method \w+">(\w+)</span> <code>([^<]+)</code>', page)
    assert {f"{method} {path}" for method, path in shown} == routes
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(ids)
    assert {f"shape-{name}" for name in schema["components"]["schemas"]} <= set(ids)
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', page)  # it asks nobody for anything


def test_what_a_route_takes_is_told_with_its_bounds_and_what_it_answers_with_its_codes() -> None:
    found = read(description())
    operations = {(each.method, each.path): each for group in found.groups.values() for each in group}
    listed = operations["GET", "/api/v1/jobs"]
    limit = next(each for each in listed.parameters if each.name == "limit")
    assert (limit.place, limit.required) == ("query", False)
    assert "≥ 1" in limit.bounds
    run = operations["POST", "/api/v1/jobs/{job_id}/run"]
    assert [each.name for each in run.parameters if each.required and each.place == "path"] == ["job_id"]
    refused = next(each for each in run.answers if each.status == "409")
    assert refused.bodies == (("application/json", (Piece("ErrorBody", shape="ErrorBody"),)),)
    shapes = {each.name: each for each in found.shapes}
    assert "EXTRA_MISSING" in shapes["FailureCode"].values
    assert next(each for each in shapes["ErrorBody"].fields if each.name == "code").required


def test_words_between_backticks_are_code() -> None:
    assert words("A ``B`` and `C`.") == (
        Piece("A "),
        Piece("B", code=True),
        Piece(" and "),
        Piece("C", code=True),
        Piece("."),
    )
