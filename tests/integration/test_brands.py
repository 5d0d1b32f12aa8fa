"""A project's brand over HTTP and in the store: who may choose it, what is refused, and which exports show it."""

import base64
import io
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image, ImageDraw
from sqlalchemy import func, select
from typer.testing import CliRunner

from activities.store.documents.brands import REPLACED_FOR
from activities.store.documents.exports import identity_key
from activities.store.jobs.quotas import stored_bytes
from activities.store.repository import utc_now
from activities.store.tables import project_brands, project_logos
from domain.artifacts import Blob
from domain.documents.brand import LOGO_BYTES, LOGO_MADE, Brand, Branding, Ground, Logo
from domain.documents.publication import ExportFormat
from domain.errors import QuotaExceeded
from domain.projects import ProjectRole
from domain.quotas import OwnerLimits
from guidesmith.client import Client
from starter.access.tokens import Tokens
from starter.cli.app import app
from tests.apis import SECRET, RunningApi, api_settings, running_api, wait_ready
from tests.integration.pictures import Illustrated, illustrated_job
from tests.integration.test_members import joined
from tests.temporal import TemporalServer

VIOLET = "#7a1fa2"


@pytest.fixture(scope="module")
def api(temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApi]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        with running_api(api_settings(tmp_path_factory.mktemp("brands"))) as running:
            wait_ready(running)
            yield running


@pytest.fixture
def shot(api: RunningApi) -> Illustrated:
    return illustrated_job(api.store, api.artifacts)


@pytest.fixture
def ann(api: RunningApi) -> Iterator[httpx.Client]:
    with api.client("ann") as client:
        yield client


def picture(size: tuple[int, int] = (400, 120), colour: str = VIOLET, kind: str = "PNG", **options: Any) -> bytes:
    image = Image.new("RGBA", size)
    rim = 20 if min(size) > 40 else 0
    ImageDraw.Draw(image).ellipse((rim, rim, size[0] - rim - 1, size[1] - rim - 1), fill=colour)
    out = io.BytesIO()
    (image.convert("RGB") if kind == "JPEG" else image).save(out, kind, **options)
    return out.getvalue()


def sent(data: bytes) -> dict[str, str]:
    return {"data": base64.b64encode(data).decode()}


def requested(api: RunningApi, shot: Illustrated, export_format: ExportFormat = ExportFormat.HTML) -> tuple[Any, bool]:
    return api.store.request_export("ann", shot.job.id, export_format, shot.instruction_version_id)


# --- chosen and told -----------------------------------------------------------------------------------------------


def test_given_a_project_then_its_brand_is_chosen_told_and_kept(ann: httpx.Client, shot: Illustrated) -> None:
    brand = f"projects/{shot.job.project_id}/brand"
    begun = ann.get(brand).json()
    assert (begun["id"], begun["accent"], begun["logo"], begun["light"], begun["numbering"]) == (
        None,
        None,
        None,
        None,
        "steps",
    )
    chosen = {
        "accent": "FFB300",
        "font": "Noto Sans",
        "header": " {project} ",
        "lead": "{steps} steps · {minutes} min\n",
        "sections": [{"place": "before", "heading": " Hello ", "text": "All\n"}, {"place": "after", "text": "Bye"}],
        "numbering": "none",
    }
    saved = ann.put(brand, json=chosen)
    assert saved.status_code == 200, saved.text
    told = saved.json()
    assert (told["accent"], told["header"], told["lead"], told["saved_by"]) == (
        "#ffb300",
        "{project}",
        "{steps} steps · {minutes} min\n",
        "ann",
    )
    assert told["sections"] == [
        {"place": "before", "heading": "Hello", "text": "All\n"},
        {"place": "after", "heading": "", "text": "Bye"},
    ]
    assert told["light"]["fill"] == "#ffb300" and told["light"]["on_fill"] == "#000000"
    assert told["light"]["is_moved"] and told["light"]["ink_contrast"] >= 4.5 > told["light"]["accent_contrast"]
    assert not told["dark"]["is_moved"]
    assert ann.get(brand).json() == told
    assert ann.put(brand, json=chosen).json()["id"] == told["id"]  # the same again is no other brand
    logo = ann.put(f"{brand}/logo", json=sent(picture())).json()
    assert logo["accent"] == "#ffb300" and (logo["logo"]["width"], logo["logo"]["height"]) == (
        360,
        80,
    )  # without its rim
    image = Image.open(io.BytesIO(base64.b64decode(ann.get(f"{brand}/logo").json()["data"])))
    assert (image.format, image.size) == ("PNG", (360, 80))
    assert ann.put(brand, json={}).json()["logo"] == logo["logo"]
    assert ann.delete(f"{brand}/logo").status_code == 204 == ann.delete(f"{brand}/logo").status_code
    assert ann.get(f"{brand}/logo").status_code == 404 and ann.get(brand).json()["logo"] is None


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"accent": "violet"}, "VALIDATION_ERROR"),
        ({"accent": "#ffb300", "on_accent": "#ffffff"}, "COLOURS_UNREADABLE"),
        ({"on_accent": "#ffffff"}, "VALIDATION_ERROR"),
        ({"font": "Comic Sans"}, "VALIDATION_ERROR"),
        ({"header": "two\nlines"}, "VALIDATION_ERROR"),
        ({"header": "x" * 201}, "VALIDATION_ERROR"),
        ({"footer": "{author}"}, "VALIDATION_ERROR"),
        ({"lead": "{page}"}, "VALIDATION_ERROR"),
        ({"sections": [{"place": "after", "text": "x" * 4001}]}, "VALIDATION_ERROR"),
        ({"sections": [{"place": "after", "text": "\u0000"}]}, "VALIDATION_ERROR"),
        ({"sections": [{"place": "within", "text": "a"}]}, "VALIDATION_ERROR"),
        ({"sections": [{"place": "after", "text": "a"}] * 13}, "VALIDATION_ERROR"),
        ({"numbering": "roman"}, "VALIDATION_ERROR"),
        ({"colour": "#000000"}, "VALIDATION_ERROR"),
    ],
)
def test_given_what_no_brand_may_be_then_it_is_refused_and_nothing_changes(
    ann: httpx.Client, shot: Illustrated, wrong: dict[str, Any], code: str
) -> None:
    brand = f"projects/{shot.job.project_id}/brand"
    refused = ann.put(brand, json=wrong)
    assert (refused.status_code, refused.json()["code"]) == (400, code)
    assert ann.get(brand).json()["id"] is None


def noise() -> bytes:
    image = Image.frombytes("RGB", (450, 450), random.Random(1).randbytes(450 * 450 * 3))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "type"),
        (b"GIF89a", "type"),
        (b"no picture", "type"),
        (picture()[:-30], "damaged"),
        (picture() + b"PK\x03\x04", "trailing"),
        (picture((15, 15)), "pixels"),
        (picture((1300, 100)), "pixels"),
        (picture((4097, 400)), "pixels"),
        (picture(colour="#00000000"), "empty"),
    ],
)
def test_given_what_is_no_logo_then_it_is_refused_by_its_content(
    ann: httpx.Client, shot: Illustrated, data: bytes, problem: str
) -> None:
    brand = f"projects/{shot.job.project_id}/brand"
    refused = ann.put(f"{brand}/logo", json=sent(data))
    assert (refused.status_code, refused.json()["code"]) == (400, "UPLOAD_INVALID")
    assert refused.json()["details"]["mismatch"] == [problem]
    assert ann.get(brand).json()["id"] is None


def test_given_a_logo_then_it_is_made_anew_within_bounds_with_nothing_else_of_its_file(
    ann: httpx.Client, shot: Illustrated
) -> None:
    path = f"projects/{shot.job.project_id}/brand/logo"
    too_large = ann.put(path, json=sent(noise()))
    assert len(noise()) > LOGO_BYTES and too_large.json()["code"] == "VALIDATION_ERROR"
    assert ann.put(path, json={"data": "not base64!"}).json()["code"] == "VALIDATION_ERROR"
    told = Image.Exif()
    told[0x010E] = "taken at home"
    grounds = {}
    for name, data in (
        ("photo", picture((1600, 900), kind="JPEG", exif=told)),
        ("pale", picture(colour="#f5f5f5")),
        ("bold", picture(kind="WEBP")),
    ):
        answer = ann.put(path, json=sent(data))
        assert answer.status_code == 200, answer.text
        grounds[name] = answer.json()["logo"]["ground"]
        png = base64.b64decode(ann.get(path).json()["data"])
        made = Image.open(io.BytesIO(png))
        assert made.format == "PNG" and made.width <= LOGO_MADE[0] and made.height <= LOGO_MADE[1]
        assert b"taken at home" not in png and len(png) <= LOGO_BYTES
    assert grounds == {"photo": "any", "pale": "dark", "bold": "light"}


def test_given_members_then_all_read_the_brand_and_its_owner_alone_chooses_it(
    api: RunningApi, ann: httpx.Client, shot: Illustrated
) -> None:
    brand = f"projects/{shot.job.project_id}/brand"
    ann.put(brand, json={"accent": VIOLET})
    ann.put(f"{brand}/logo", json=sent(picture()))
    for role in (ProjectRole.EDITOR, ProjectRole.COMMENTER, ProjectRole.VIEWER):
        joined(api, shot.job.project_id, f"brand-{role}", role)
        with api.client(f"brand-{role}") as member:
            assert member.get(brand).json()["accent"] == VIOLET
            assert member.get(f"{brand}/logo").status_code == 200
            for answer in (
                member.put(brand, json={}),
                member.put(f"{brand}/logo", json=sent(picture())),
                member.delete(f"{brand}/logo"),
            ):
                assert (answer.status_code, answer.json()["code"]) == (403, "FORBIDDEN")
    with api.client("stranger") as stranger:
        assert stranger.get(brand).status_code == stranger.put(brand, json={}).status_code == 404
    assert ann.get(brand).json()["logo"] is not None


# --- exports -------------------------------------------------------------------------------------------------------


def test_given_a_project_without_a_brand_then_its_exports_are_those_of_before(
    api: RunningApi, shot: Illustrated
) -> None:
    export, _ = requested(api, shot)
    assert "brand" not in export.provenance and api.store.branding_of_export(export.id) is None
    pictures = str(export.provenance["screenshot_set_hash"])
    assert export.identity_key == identity_key(shot.instruction_version_id, ExportFormat.HTML, pictures)
    api.store.save_brand("ann", shot.job.project_id, Brand(), "ann")  # which changes nothing
    assert requested(api, shot) == (export, False)


def test_given_another_brand_then_another_export_is_made_and_the_old_one_stays_what_it_was(
    api: RunningApi, shot: Illustrated
) -> None:
    store, project_id = api.store, shot.job.project_id
    bare, _ = requested(api, shot)
    captions, _ = requested(api, shot, ExportFormat.SRT)
    first = store.save_brand("ann", project_id, Brand(accent=VIOLET, footer="{title}"), "ann")
    branded, created = requested(api, shot)
    assert created and branded.id != bare.id and requested(api, shot) == (branded, False)
    assert branded.provenance["brand"] == {
        "id": first.id,
        "saved_at": first.saved_at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "project": None,
    }
    assert requested(api, shot, ExportFormat.SRT) == (captions, False)  # captions show no brand
    store.change_project("ann", project_id, {"name": "Handbook"})
    assert requested(api, shot) == (branded, False)  # nothing in it says the project's name
    store.save_brand("ann", project_id, Brand(accent=VIOLET, footer="{project}"), "ann")
    named, created = requested(api, shot)
    assert created
    assert store.branding_of_export(branded.id) == Branding(brand=first.brand)
    assert store.branding_of_export(named.id) == Branding(
        brand=Brand(accent=VIOLET, footer="{project}"), project="Handbook"
    )
    store.change_project("ann", project_id, {"name": "Manual"})
    renamed, created = requested(api, shot)
    assert created and renamed.id != named.id
    held = store.branding_of_export(named.id)
    assert held is not None and held.project == "Handbook"


def test_given_brands_that_were_saved_over_when_the_sweep_comes_then_those_of_exports_stay_and_logos_count_as_stored(
    api: RunningApi, shot: Illustrated, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, project_id = api.store, shot.job.project_id

    def logo(colour: str) -> Logo:
        return Logo(png=picture(colour=colour), width=400, height=120, ground=Ground.ANY)

    def kept() -> tuple[set[str], int]:
        """The ids of brands, and how many logos."""
        with store._database.read() as connection:
            ids = connection.scalars(select(project_brands.c.id).where(project_brands.c.project_id == project_id))
            of = select(func.count()).where(project_logos.c.project_id == project_id)
            return set(ids), connection.scalar(of) or 0

    def stored() -> int:
        with store._database.read() as connection:
            return stored_bytes(connection, "ann")

    before = stored()
    saved = []
    for colour in ("#7a1fa2", "#1b5e20", "#0d47a1"):
        saved.append(store.save_logo("ann", project_id, logo(colour), "ann"))
        if len(saved) == 1:
            export, _ = requested(api, shot)
    saved.append(store.save_brand("ann", project_id, Brand(accent=VIOLET), "ann"))
    pictures = [len(each.logo.png) for each in saved[:3] if each.logo]
    assert sum(pictures) <= stored() - before <= sum(pictures) + 6, "each counts, to the three bytes of its writing"
    store.forget_brands()
    assert kept() == ({each.id for each in saved}, 3), "an export may be asking for one of them just now"
    monkeypatch.setattr(store, "_clock", lambda: utc_now() + 2 * REPLACED_FOR)
    assert store.forget_brands() >= 2
    assert kept() == ({saved[0].id, saved[3].id}, 2)
    assert store.branding_of_export(export.id) == Branding(
        brand=Brand(), logo=logo("#7a1fa2"), project=store.project(project_id).name
    )
    assert store.brand("ann", project_id) == saved[3] and saved[3].logo == logo("#0d47a1")
    monkeypatch.undo()
    monkeypatch.setattr(store, "_limits", OwnerLimits(stored_bytes=1))
    with pytest.raises(QuotaExceeded):
        store.save_logo("ann", project_id, logo("#b71c1c"), "ann")
    assert store.save_brand("ann", project_id, Brand(), "ann").logo == saved[3].logo, "what it has, it keeps"


def test_given_an_export_then_it_says_which_brand_it_shows_and_a_link_that_it_is_behind(
    api: RunningApi, ann: httpx.Client, shot: Illustrated
) -> None:
    instruction = ann.get(f"jobs/{shot.job.id}").json()["instruction_id"]
    ann.post(f"instructions/{instruction}/shares", json={}).raise_for_status()
    (link,) = ann.get(f"instructions/{instruction}/shares").json()["items"]
    assert not link["is_behind"]
    saved = ann.put(f"projects/{shot.job.project_id}/brand", json={"accent": VIOLET}).json()
    (link,) = ann.get(f"instructions/{instruction}/shares").json()["items"]
    assert link["is_behind"]
    export, _ = requested(api, shot, ExportFormat.PDF)
    blob = Blob(key=f"exports/{export.id}.pdf", size_bytes=1, checksum_sha256="0" * 64, media_type="application/pdf")
    api.store.begin_export(export.id)
    api.store.finish_export(export.id, blob, "a.pdf", {"anchors": []})
    told = ann.get(f"exports/{export.id}").json()["provenance"]["brand"]
    assert told == {"id": saved["id"], "saved_at": saved["saved_at"], "project": None}


def test_given_an_erased_user_then_their_projects_brands_go_with_them(api: RunningApi) -> None:
    with api.client("leaver") as leaver:
        project = leaver.post("projects", json={"name": "Mine"}).json()["id"]
        leaver.put(f"projects/{project}/brand", json={"accent": VIOLET}).raise_for_status()
        leaver.put(f"projects/{project}/brand/logo", json=sent(picture())).raise_for_status()
        rows = {name: list(each) for name, each in api.store.rows_of_user("leaver") if name.startswith("project_")}
        assert len(rows["project_brands"]) == 2 and len(rows["project_logos"]) == 1
    purge = api.store.begin_user_purge("leaver")
    assert api.store.erase_jobs_of_user(purge.id, 10) == () and api.store.erase_user_rows(purge.id)
    with api.store._database.read() as connection:
        for table in (project_brands, project_logos):
            assert connection.scalar(select(func.count()).where(table.c.project_id == project)) == 0


# --- from programs and the command line ----------------------------------------------------------------------------


def test_given_a_program_then_it_reads_and_chooses_a_brand(api: RunningApi, shot: Illustrated, tmp_path: Path) -> None:
    file = tmp_path / "logo.png"
    file.write_bytes(picture())
    token = Tokens(SECRET).issue("ann")
    with Client(api.url, token) as client:
        assert client.brand(shot.job.project_id).accent is None
        saved = client.save_brand(shot.job.project_id, accent=VIOLET, footer="{title}")
        assert (saved.accent, saved.footer, saved.header) == (VIOLET, "{title}", "")
        assert client.save_brand(shot.job.project_id, header="{project}").footer == "{title}"  # the rest stays
        assert client.save_logo(shot.job.project_id, file).logo == {"width": 360, "height": 80, "ground": "light"}
        section = {"place": "after", "heading": "Need help?", "text": "Ask."}
        assert client.save_brand(shot.job.project_id, sections=[section]).sections == [section]
        assert client.save_brand(shot.job.project_id, lead="{date}").sections == [section]
        client.delete_logo(shot.job.project_id)
        assert client.brand(shot.job.project_id).logo is None


def test_given_the_command_line_then_it_shows_and_changes_a_brand(
    api: RunningApi, ann: httpx.Client, shot: Illustrated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GUIDESMITH_API_URL", api.url)
    monkeypatch.setenv("GUIDESMITH_TOKEN", Tokens(SECRET).issue("ann"))
    project = shot.job.project_id
    logo, before = tmp_path / "logo.png", tmp_path / "before.md"
    logo.write_bytes(picture())
    before.write_text("## Before you begin", encoding="utf-8")

    def run(*words: str, code: int = 0) -> str:
        done = CliRunner().invoke(app, ["brand", *words])
        assert done.exit_code == code, done.output
        return done.output

    def kept() -> dict[str, Any]:
        brand: dict[str, Any] = ann.get(f"projects/{project}/brand").json()
        return brand

    assert "#ffb300" in run("set", project, "--accent", "#ffb300", "--before-file", str(before))
    assert "360 x 80" in run("logo", project, str(logo))
    shown = run("show", project)
    assert "Before you begin" in shown and "could not be read there" in shown
    assert "Before you begin" in run("set", project, "--accent", "")
    after = tmp_path / "after.md"
    after.write_text("## Need help?\n\nAsk.", encoding="utf-8")
    run("set", project, "--after-file", str(after), "--after-file", str(before))
    assert [(each["place"], each["heading"]) for each in kept()["sections"]] == [
        ("before", "Before you begin"),
        ("after", "Need help?"),
        ("after", "Before you begin"),
    ]
    before.write_text("", encoding="utf-8")
    run("set", project, "--before-file", str(before), "--lead", "{steps} steps")
    assert kept()["lead"] == "{steps} steps"
    assert [each["heading"] for each in kept()["sections"]] == ["Need help?", "Before you begin"]
    run("set", project, "--accent", "violet", code=1)
    run("logo", project, "--remove")
    assert "360 x 80" not in run("show", project)
