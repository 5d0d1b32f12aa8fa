"""People: what tokens call their bearers is kept, shown to others by name, and goes with them."""

from datetime import timedelta
from typing import Any

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import OctKey

from activities.store import Store
from activities.store.people import AT_ONCE
from activities.store.repository import utc_now
from domain.people import NAME_LIMIT, Person, person_of
from tests.apis import SECRET, RunningApi

pytest_plugins = ("tests.databases",)

ANN = Person(subject="ann", name="Ann Archer", email="ann@example.org", email_verified=True)


def bearer(subject: str, **claims: Any) -> dict[str, str]:
    whole = {"sub": subject, "exp": int(utc_now().timestamp()) + 600, **claims}
    return {"Authorization": f"Bearer {jwt.encode({'alg': 'HS256'}, whole, OctKey.import_key(SECRET))}"}


@pytest.mark.parametrize(
    ("claims", "name", "email", "verified"),
    [
        ({"name": " Ann \n Archer ", "email": "Ann@Example.org"}, "Ann Archer", "ann@example.org", False),
        ({"email": "ann@example.org", "email_verified": True}, None, "ann@example.org", True),
        ({"email": "ann@example.org", "email_verified": "true"}, None, "ann@example.org", False),
        ({"email_verified": True}, None, None, False),
        ({"preferred_username": "archer"}, "archer", None, False),
        ({"name": "", "preferred_username": "archer"}, "archer", None, False),
        ({"name": "evil\u202egro.elpmaxe@nna"}, "evilgro.elpmaxe@nna", None, False),
        ({"name": "a\0b\x1b[31m"}, "ab[31m", None, False),
        ({"name": ["Ann"], "email": {"a": 1}}, None, None, False),
        ({"name": "x" * (NAME_LIMIT + 1), "email": "no address"}, None, None, False),
        ({"email": "a b@example.org"}, None, None, False),
        ({}, None, None, False),
    ],
)
def test_given_claims_then_they_say_what_to_call_somebody_and_nothing_that_could_mislead(
    claims: dict[str, Any], name: str | None, email: str | None, verified: bool
) -> None:
    person = person_of("s", claims)
    assert (person.subject, person.name, person.email, person.email_verified) == ("s", name, email, verified)
    assert person.shown == (name or email or "s")


def test_given_people_who_were_seen_when_they_are_shown_then_by_name_by_address_or_by_subject(store: Store) -> None:
    store.saw_person(Person(subject="ann", name="Ann"))
    store.saw_person(Person(subject="bob", email="bob@example.org"))
    asked = ["bob", "ann", "zed", "ann"]
    assert store.people(asked) == {"bob": "bob@example.org", "ann": "Ann", "zed": "zed"}
    assert store.people([]) == {}
    many = [f"user-{number}" for number in range(AT_ONCE + 1)]
    assert store.people([*many, "ann"])["ann"] == "Ann"
    store.saw_person(ANN)
    known = store.person("ann")
    assert known is not None and known.model_copy(update={"seen_at": None}) == ANN
    assert known.seen_at is not None and utc_now() - known.seen_at < timedelta(minutes=1)
    assert store.person("zed") is None
    store.saw_person(Person(subject="ann", name="Ann"))
    assert store.people(["ann"]) == {"ann": "Ann"} and store.people_with_email("ann@example.org") == ()


def test_given_an_address_then_it_leads_to_those_alone_of_whom_it_was_verified(store: Store) -> None:
    store.saw_person(ANN)
    store.saw_person(Person(subject="mallory", email="ann@example.org"))
    assert [each.subject for each in store.people_with_email(" Ann@Example.ORG ")] == ["ann"]
    assert store.people_with_email("") == ()


def test_given_a_token_with_a_name_when_its_bearer_calls_then_it_is_kept_once_and_what_changes_again(
    api: RunningApi,
) -> None:
    url = f"{api.url}/api/v1/projects"
    first = bearer("nora", name="Nora", email="nora@example.org", email_verified=True)
    assert httpx.get(url, headers=first).status_code == 200
    known = api.store.person("nora")
    assert known is not None and (known.name, known.email_verified) == ("Nora", True)
    httpx.get(url, headers=first)
    assert api.store.person("nora") == known, "who comes all the time is not written down each time"
    httpx.get(url, headers=bearer("nora", name="Nora Noon"))
    assert api.store.people(["nora"]) == {"nora": "Nora Noon"}
    httpx.get(url, headers=bearer("olaf"))
    assert api.store.person("olaf") is None
    httpx.get(url, headers=bearer("petra", name="Petra", role="nobody"))
    assert api.store.person("petra") is None, "a token that was refused says nothing"


def test_given_somebody_known_when_they_are_erased_then_so_is_what_they_are_called_and_their_archive_had_it(
    store: Store,
) -> None:
    store.saw_person(ANN)
    rows = {name: list(each) for name, each in store.rows_of_user("ann")}
    (row,) = rows["people"]
    assert (row["name"], row["email"]) == ("Ann Archer", "ann@example.org")
    purge = store.begin_user_purge("ann")
    assert store.erase_user_rows(purge.id)
    assert store.person("ann") is None
