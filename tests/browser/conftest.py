"""The pages in a real browser: Debian's Chromium, the real API, a real worker.

``page`` is a tab of somebody who has signed in, with nothing of theirs here yet. Whatever a page says on the console,
asks of another host or runs against its policy fails its test.
"""

import asyncio
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import wraps
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    Playwright,
    Request,
    Route,
    expect,
    sync_playwright,
)
from pydantic import SecretStr

from activities.artifacts.memo import MEMOS
from activities.upkeep.rounds import NAME as RECONCILER
from domain.artifacts import ArtifactKind, Blob
from domain.documents.document import parse
from domain.documents.screenshots import NewScreenshot
from domain.documents.versions import NewVersion
from domain.jobs import NewArtifact
from domain.lifecycles.instruction import (
    AUDIO_EXTRACTING,
    AUDIO_READY,
    DRAFT_READY,
    GENERATING,
    TRANSCRIBING,
    TRANSCRIPT_READY,
)
from starter.access.tokens import Principal, Role
from starter.api.perimeter.sessions import Tickets
from starter.api.signed_urls import SignedUrls
from starter.settings import Settings
from tests.apis import PART_SIZE, SECRET, RunningApi, running_api, wait_ready
from tests.browser.looking import WIDE
from tests.integration.store_builders import Run
from tests.notion import PARENT, Notion, running_notion
from tests.stack import ROOT, Stack, begin_upload, running_stack, wait_until
from tests.temporal import TemporalServer, free_port
from tests.wiki import Wiki, running_wiki

REQUIRED = "GUIDESMITH_REQUIRE_BROWSER"
"""Set by .ci/run: there, a missing browser is a failure."""

WHOLE = ("chromium", "chromium-browser", "google-chrome")

ARGUMENTS = (
    "--no-sandbox",  # CI runs as root
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--autoplay-policy=no-user-gesture-required",
    "--js-flags=--no-opt,--no-maglev",  # pages live for seconds: to optimise their code takes longer than it saves
)


PATIENT_MS = 120_000
"""How long a page may take for anything: how soon is asserted in tests/bench, and here other tests run beside."""

expect.set_options(timeout=PATIENT_MS)

_driver: list[asyncio.AbstractEventLoop | None] = [None]


@contextmanager
def driving() -> Iterator[None]:
    """Playwright's loop is this thread's running one while the block runs, and at no other time.

    The driver leaves its loop behind as running for as long as it lives. Tests of other folders that come after it in
    the same process could then not run one of their own.
    """
    asyncio._set_running_loop(_driver[0])
    try:
        yield
    finally:
        _driver[0] = asyncio._get_running_loop()
        asyncio._set_running_loop(None)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    starting = sync_playwright()
    with driving():
        running = starting.__enter__()
    yield running
    with driving():
        starting.__exit__(None, None, None)
    _driver[0] = None


@pytest.fixture(autouse=True, scope="session")
def _scrolled_before_pressing() -> Iterator[None]:
    """As people do, who see where they press. Playwright waits for what it presses to stand still and scrolls to it
    after that: blocks that come in sight thereby get their height between pressing and letting go. Asked for by itself,
    it would be waited for twice."""

    def scrolling(pressing: Callable[..., None]) -> Callable[..., None]:
        @wraps(pressing)
        def pressed(self: Locator, **options: Any) -> None:
            if not options.get("force"):
                self.evaluate("each => each.scrollIntoViewIfNeeded()", timeout=options.get("timeout"))
            pressing(self, **options)

        return pressed

    with pytest.MonkeyPatch.context() as patch:
        for name in ("click", "dblclick", "check", "uncheck", "hover"):
            patch.setattr(Locator, name, scrolling(getattr(Locator, name)))
        yield


@pytest.fixture(autouse=True)
def _driven(playwright: Playwright) -> Iterator[None]:
    """Every test of the browser."""
    with driving():
        yield


@pytest.fixture(scope="session")
def chromium(playwright: Playwright) -> Iterator[Browser]:
    """The browser, for the session: Chromium without the window that nobody sees, which opens a page in a fifth of the
    time, or where that is not there with it."""
    with started(playwright, ("chromium-headless-shell", *WHOLE)) as browser:
        yield browser


@contextmanager
def started(playwright: Playwright, programs: Sequence[str], *arguments: str) -> Iterator[Browser]:
    """The first of these browsers that there is, until the block ends."""
    found = next(filter(None, map(shutil.which, programs)), None)
    if found is None:
        message = "There is no Chromium on this machine: install Debian's package `chromium`."
        if os.environ.get(REQUIRED):
            pytest.fail(message)
        pytest.skip(message)
    with driving():
        browser = playwright.chromium.launch(executable_path=found, args=[*ARGUMENTS, *arguments])
    yield browser
    with driving():
        browser.close()


@dataclass
class Site:
    """The pages, and what is behind them. ``files``: where else browsers may get and send files (S3).
    ``wiki`` and ``notion``: the Confluence and the Notion that guides are put into. ``heard``: whose recording of the
    sample a worker has listened to."""

    stack: Stack
    api: RunningApi
    browser: Browser
    files: str = ""
    wiki: Wiki | None = None
    notion: Notion | None = None
    complaints: list[str] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return self.api.url

    def client(self, subject: str) -> httpx.Client:
        """The API, for what a test sets up."""
        return self.api.client(subject)

    @contextmanager
    def visitor(self, subject: str, *, role: Role = Role.EDITOR, **options: object) -> Iterator[BrowserContext]:
        """A browser of ``subject``'s own, signed in, of somebody who wants nothing to move: to draw what moves takes a
        quarter of all that these tests compute. ``options`` are those of ``new_context``."""
        where = {"base_url": self.url, "viewport": WIDE, "locale": "en-GB", "timezone_id": "Europe/Vienna"}
        values = where | {"reduced_motion": "reduce"} | options
        context = self.browser.new_context(**values)  # type: ignore[arg-type]
        context.set_default_timeout(PATIENT_MS)
        context.on("page", self._watch)
        sign_in(context, subject, role)
        try:
            yield context
        finally:
            context.close()

    def _watch(self, page: Page) -> None:
        def console(message: ConsoleMessage) -> None:
            if message.type in ("error", "warning") and not message.text.startswith("Failed to load resource"):
                self.complaints.append(f"console {message.type}: {message.text[:300]}")

        def asked(request: Request) -> None:
            if not request.url.startswith((self.url, self.files or self.url, "data:", "blob:", "about:")):
                self.complaints.append(f"asked elsewhere: {request.url[:200]}")

        page.on("console", console)
        page.on("pageerror", lambda error: self.complaints.append(f"uncaught: {str(error)[:300]}"))
        page.on("request", asked)


def ticket(subject: str, role: Role = Role.EDITOR) -> str:
    """What a sign-in address for ``subject`` carries."""
    return Tickets(SignedUrls(SECRET)).issue(Principal(subject, role))


def sign_in(context: BrowserContext, subject: str, role: Role = Role.EDITOR) -> None:
    """As somebody does who opens a sign-in address, in whichever tab."""
    assert context.request.get(f"/sign-in?ticket={ticket(subject, role)}", max_redirects=0).status == 303


def come_back(page: Page) -> None:
    """As the browser tells a tab that it is looked at again, which one without a window never hears."""
    page.evaluate("dispatchEvent(new Event('focus'))")


def in_one_go(page: Page) -> None:
    """Let keys from now on follow each other at once, however slow a busy machine is between two of them: what is typed
    in one go is one step to undo, and one shortcut."""
    page.evaluate("() => { const now = performance.now(); performance.now = () => now }")


def held_back(page: Page, waiting: list[Route]) -> Route:
    """The newest of the requests that a route lets wait, once there is one. Playwright tells of what a browser asks for
    only while it is itself asked for something."""
    wait_until(lambda: page.evaluate("true") and waiting, 30, "a request")
    return waiting.pop()


@pytest.fixture(scope="session")
def site(chromium: Browser, temporal: TemporalServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The pages on a stack with one worker, for the session."""
    token = "a-token-for-the-wiki"
    with ExitStack() as on, pytest.MonkeyPatch.context() as patch:
        wiki = on.enter_context(running_wiki(f"Bearer {token}"))
        notion = on.enter_context(running_notion(token))
        places = {
            "confluence_space_url": wiki.space,
            "confluence_token": token,
            "notion_url": notion.url,
            "notion_parent": PARENT,
            "notion_token": token,
            "project_places": "true",
        }
        secret: dict[str, Any] = {
            name: SecretStr(value) if name.endswith("token") else value for name, value in places.items()
        }
        folder = tmp_path_factory.mktemp("site")
        stack = on.enter_context(running_stack(folder, temporal, heartbeat_timeout_s=10.0, **secret))  # nobody kills it
        stack.store.take_round(RECONCILER, 24 * 3600.0)  # jobs that tests put together have no run, and are not lost
        stack.start_worker(**{f"GUIDESMITH_{name.upper()}": value for name, value in places.items()})
        patch.setenv("TEMPORAL_ADDRESS", temporal.address)
        with running_api(site_settings(stack)) as api:
            wait_ready(api)
            yield Site(stack, api, chromium, wiki=wiki, notion=notion)


def give_up(site: Site, who: str, job: str) -> None:
    """Cancel a job whose draft nobody waits for, if it is not written yet: it takes seconds of a processor."""
    with site.client(who) as client:
        client.post(f"jobs/{job}/cancel")


def site_settings(stack: Stack) -> Settings:
    """Those of an API on ``stack``, with parts so small that even a short recording has several."""
    own = {"api_port": free_port(), "auth_secret": SecretStr(SECRET), "part_size_bytes": PART_SIZE}
    return Settings(**(stack.settings.model_dump() | own))


@pytest.fixture
def who() -> str:
    """Somebody who has nothing here yet."""
    return f"ann-{uuid4().hex[:12]}"


@pytest.fixture
def quiet(site: Site) -> Iterator[list[str]]:
    """What the pages complained of during the test; it fails for any that it has not taken out."""
    site.complaints.clear()
    yield site.complaints
    assert not site.complaints


@pytest.fixture
def page(site: Site, who: str, quiet: list[str]) -> Iterator[Page]:
    """A tab of somebody who has signed in."""
    with site.visitor(who) as context:
        yield context.new_page()


@pytest.fixture(scope="session")
def sample() -> Path:
    return ROOT / "sample" / "recording.mp4"


@pytest.fixture
def known(site: Site, who: str) -> None:
    """What is heard in the sample and seen is known of somebody, if it was found out before."""
    artifacts = site.stack.artifacts
    for other in site.heard[:1]:
        mine, theirs = (f"{MEMOS}/{sha256(each.encode()).hexdigest()}/" for each in (who, other))
        for key in [each.key for each in artifacts.list(theirs)]:
            record = artifacts.load_small(key)
            assert record is not None
            artifacts.put_bytes(key.replace(theirs, mine), record, "application/json")


@pytest.fixture(scope="session")
def drafted(site: Site, sample: Path) -> Callable[[str], dict[str, str]]:
    """Makes a job of the sample for somebody, with its draft: its ids. The first is sent by the API, and a worker takes
    it to its draft; the others are its copies: what a worker does takes seconds of a processor."""
    first: list[dict[str, str]] = []

    def made(who: str) -> dict[str, str]:
        if first:
            return copied(site, first[0]["job"], who)
        with site.client(who) as client:
            project = client.post("projects", json={"name": "Handbooks"}).json()
            job = client.post(f"projects/{project['id']}/jobs", json={"language": "en"}).json()
            upload = client.post(f"jobs/{job['id']}/upload", json={"filename": "Add a customer.mp4"}).json()
            assert httpx.put(upload["upload_url"], content=sample.read_bytes(), timeout=60).status_code == 200
            client.post(f"jobs/{job['id']}/confirm-upload", json={"video_uri": upload["video_uri"]}).raise_for_status()
            client.post(f"jobs/{job['id']}/run").raise_for_status()
            site.stack.wait_for(site.stack.store.get_job(job["id"]), "DRAFT_READY", within_s=120)
            instruction = client.get(f"jobs/{job['id']}").json()["instruction_id"]
        site.heard.append(who)
        first.append(copied(site, job["id"], f"first-{who}"))  # nobody writes in that one
        return {"project": project["id"], "job": job["id"], "instruction": instruction}

    return made


def copied(site: Site, drafted: str, who: str) -> dict[str, str]:
    """A drafted job once more, as somebody's own: its ids. It has all that a worker left of each stage, and no run."""
    store, files, first = site.stack.store, site.stack.artifacts, site.stack.store.get_job(drafted)
    job = store.create_job(who, store.create_project(who, "Handbooks").id, language=first.language)

    def own(blob: Blob) -> Blob:
        key, data = blob.key.replace(first.id, job.id), files.read_bytes(blob)
        return files.put_bytes(key, data, blob.media_type)

    def kept(kind: ArtifactKind) -> NewArtifact:
        artifact = store.latest_artifact(first.id, kind)
        assert artifact is not None
        return NewArtifact(kind=kind, blob=own(artifact.blob), facts=artifact.facts)

    begin_upload(store, job, first.source_name or "")
    store.confirm_upload(who, job.id, kept(ArtifactKind.VIDEO).blob, first.source_name)
    run = Run(store, job.id, dispatch_id=str(uuid4())).dispatched()
    for processing, target, progress, kind in (
        (AUDIO_EXTRACTING, AUDIO_READY, 15, ArtifactKind.AUDIO),
        (TRANSCRIBING, TRANSCRIPT_READY, 70, ArtifactKind.TRANSCRIPT),
        (GENERATING, None, 75, ArtifactKind.OUTLINE),
    ):
        store.begin_stage(job.id, run.fence(), processing)
        store.finish_stage(job.id, run.fence(), target=target, artifacts=[kept(kind)], progress=progress)
        run = run.next()

    version = store.get_instruction(first.owner, first.instruction_id or "")
    ids = dict(zip(parse(version.markdown).ids, map(str, iter(uuid4, None)), strict=False))

    def with_own_ids(text: str) -> str:
        return re.sub("|".join(ids), lambda found: ids[found[0]], text)

    places = store.list_anchors(first.owner, version.instruction_id, limit=100).items
    pictures = store.assets_of([each.id for each in places])
    shots = [
        NewScreenshot(
            block_id=ids[place.addressing.block_id or ""],
            blob=own(picture.blob),
            width=picture.width,
            height=picture.height,
            timestamp_ms=picture.timestamp_ms or 0,
            extraction_key=with_own_ids(picture.extraction_key or ""),
        )
        for place in reversed(places)
        for picture in pictures[place.id]
    ]
    new = NewVersion.model_validate_json(with_own_ids(version.model_dump_json(include=set(NewVersion.model_fields))))
    store.begin_stage(job.id, run.fence(), GENERATING)
    draft = [kept(ArtifactKind.DRAFT)]
    store.finish_stage(
        job.id, run.fence(), target=DRAFT_READY, artifacts=draft, progress=100, version=new, screenshots=shots
    )
    return {"project": job.project_id, "job": job.id, "instruction": store.get_job(job.id).instruction_id or ""}
