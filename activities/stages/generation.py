"""The stages of the generation job: make something here, or give it to a provider and take what it made.

What is given to a provider is submitted once for each attempt, whatever dies in between: the database knows before the
call that it is about to be made, and after it what the provider calls the work
(``activities/store/kinds/generations.py``); the call carries a key that is the same each time. What the provider says
of the end is read in the database too, by whoever is woken: the signal says nothing.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Protocol

from temporalio import activity

from activities.rails.contracts import Message
from activities.rails.stage import Product, StageLedger, Stages, Work, stage
from domain.artifacts import Blob
from domain.errors import ProviderAnswerInvalid, ProviderOutputExpired, ProviderUnavailable, SettingsInvalid
from domain.jobs import Failure, Job
from domain.library import AssetMedium, NewAsset
from domain.lifecycles.fence import Fence
from domain.lifecycles.generation import COMPLETED, PROCESSING, GenerationType
from domain.orders.generation import GenerationOrder, ProviderWord, SpeechOrder, Submission, needs_queue, read_order
from domain.webhooks import ProviderWebhook, Ticket

if TYPE_CHECKING:
    from activities.artifacts import ArtifactStore, StageMemo
    from activities.generating.making import Maker
    from activities.providers.outputs import OutputFetch
    from activities.providers.predictions import Prediction, Predictions
    from activities.store import JobInput

_MEDIA = {"image": AssetMedium.PICTURE, "audio": AssetMedium.AUDIO, "video": AssetMedium.VIDEO}
_SUFFIXES = {"text/markdown": "md", "text/plain": "txt", "audio/wav": "wav", "audio/mpeg": "mp3"}


class GenerationStage(StrEnum):
    """What ``failed_stage`` says."""

    MAKING = "making"
    SUBMISSION = "submission"
    PROVIDER = "provider"
    COLLECTION = "collection"


class GenerationPlan(Message):
    """What the workflow knows of the order. ``status``: where the job stands."""

    queued: bool
    outside: bool
    status: str


class Word(Message):
    """What is known of the end of a provider's work. ``said``: anything at all. ``passing``: it failed, and the same
    work given to the provider again may succeed."""

    said: bool = False
    failure_code: str | None = None
    failure_message: str | None = None
    passing: bool = False


class GenerationCall(Message):
    """What the workflow asks about an attempt. ``failure`` and what follows: of one that is tried again."""

    job_id: str
    attempt: int
    dispatch_id: str
    seq: int
    failure: Failure | None = None
    retry_count: int = 0
    retry_in_s: float = 0.0

    @property
    def fence(self) -> Fence:
        return Fence(attempt=self.attempt, dispatch_id=self.dispatch_id, seq=self.seq)


class GenerationStore(StageLedger, Protocol):
    """What the stages need of the store."""

    def get_job(self, job_id: str) -> Job: ...
    def job_input(self, job_id: str) -> "JobInput": ...
    def issue_ticket(self, job_id: str, attempt: int, provider: str) -> Ticket: ...
    def bind_submission(self, job_id: str, attempt: int, provider: str, external_id: str) -> None: ...
    def webhooks_of(self, job_id: str, attempt: int) -> tuple[ProviderWebhook, ...]: ...
    def begin_submission(self, job_id: str, attempt: int, provider: str) -> Submission: ...
    def bind_work(self, submission: Submission, external_id: str) -> None: ...
    def settle_submission(self, submission: Submission, word: ProviderWord) -> None: ...
    def newest_submission(self, job_id: str, attempt: int) -> Submission | None: ...
    def note_retry(self, job_id: str, fence: Fence, data: dict[str, object]) -> None: ...


@dataclass(frozen=True)
class OutsideParts:
    """Work that a provider does by itself.

    Args:
        provider: What its webhooks are addressed to.
        models: Its model for each type that it makes.
        address: Where it tells us of the work that a ticket is for; ``None``: it cannot reach us.
    """

    provider: str
    predictions: "Predictions"
    models: Mapping[GenerationType, str]
    outputs: "OutputFetch"
    address: Callable[[Ticket], str | None]


@dataclass(frozen=True)
class GenerationParts:
    """What the stages work with.

    Args:
        makers: Who makes something in the worker. A type with neither a maker nor a provider's model is not made.
        scratch: The folder for what a provider made, while it is looked at.
    """

    store: GenerationStore
    artifacts: "ArtifactStore"
    memo: "StageMemo"
    makers: Mapping[GenerationType, "Maker"]
    outside: OutsideParts | None = None
    scratch: Path | None = None

    def provider_of(self, of: GenerationType) -> OutsideParts | None:
        """Who does the work of this type by itself; ``None``: it is made here."""
        return self.outside if self.outside is not None and of in self.outside.models else None


class GenerationControl:
    """What the workflow asks and says between stages. All but :meth:`call_off` are local activities."""

    def __init__(self, parts: GenerationParts) -> None:
        self._parts = parts
        self._store = parts.store

    @activity.defn(name="plan-generation", no_thread_cancel_exception=True)
    def plan(self, job_id: str) -> GenerationPlan:
        """How the job is done."""
        of = read_order(self._store.job_input(job_id).input).type
        return GenerationPlan(
            queued=needs_queue(of),
            outside=self._parts.provider_of(of) is not None,
            status=self._store.get_job(job_id).status,
        )

    @activity.defn(name="hear-provider", no_thread_cancel_exception=True)
    def hear(self, call: GenerationCall) -> Word:
        """What the provider has said of the end of the attempt's work. The first word counts: one that comes again, or
        says something else later, is not heard."""
        submission = self._store.newest_submission(call.job_id, call.attempt)
        if submission is None:
            return Word()
        word = submission.word or self._webhook_word(submission)
        if word is None:
            return Word()
        return Word(
            said=True,
            failure_code=word.failure_code,
            failure_message=word.failure_message,
            passing=word.passing,
        )

    def _webhook_word(self, submission: Submission) -> ProviderWord | None:
        predictions = _configured(self._parts.outside).predictions
        for webhook in self._store.webhooks_of(submission.job_id, submission.attempt):
            if webhook.external_id != submission.external_id:
                continue
            try:
                word = _word_of(predictions.parse(webhook.payload))
            except ProviderAnswerInvalid:  # signed, and yet it tells nothing: it is stored for inspection
                continue
            if word is not None:
                self._store.settle_submission(submission, word)
                return word
        return None

    @activity.defn(name="note-generation-retry", no_thread_cancel_exception=True)
    def note_retry(self, call: GenerationCall) -> None:
        """Log that the work is done again."""
        facts: dict[str, object] = {"retry_count": call.retry_count, "retry_in_s": call.retry_in_s}
        if call.failure is not None:
            facts |= call.failure.model_dump(include={"failure_code", "failed_stage"})
        self._store.note_retry(call.job_id, call.fence, facts)

    @activity.defn(name="call-off-generation", no_thread_cancel_exception=True)
    def call_off(self, call: GenerationCall) -> None:
        """Tell the provider that nobody wants the work any more.

        Raises:
            ProviderUnavailable: A submit call has not returned yet, so that nobody knows the work's name.
        """
        submission = self._store.newest_submission(call.job_id, call.attempt)
        if submission is None or submission.word is not None:
            return
        if submission.external_id is None:
            raise ProviderUnavailable("The work was given to the provider a moment ago, and has no name yet.")
        _configured(self._parts.outside).predictions.cancel(submission.external_id)


class GenerationStages(Stages):
    """The activities that do the work."""

    def __init__(self, parts: GenerationParts) -> None:
        super().__init__(parts.store)
        self._parts = parts
        self._store = parts.store

    # --- made here -----------------------------------------------------------------------------------------

    @stage(
        GenerationStage.MAKING,
        PROCESSING,
        checkpoint=COMPLETED,
        queue="providers",
        summary="make it and keep it",
        activity_name="make-generation",
    )
    def make(self, work: Work) -> Product:
        """What was asked for, kept privately, as an asset of the owner's library."""
        order = self._order(work)
        maker = self._parts.makers.get(order.type)
        if maker is None:
            raise SettingsInvalid(f"The job is to be made here, and this worker makes no {order.type}.")
        blob, facts = self._made(work, maker, order)
        medium = _MEDIA.get(blob.media_type.partition("/")[0], AssetMedium.DOCUMENT)
        provenance = {**facts, "provider": maker.name, "type": str(order.type)}
        asset = NewAsset(medium=medium, blob=blob, facts=provenance)
        return Product(assets=[asset], result=provenance)

    def _made(self, work: Work, maker: "Maker", order: GenerationOrder) -> tuple[Blob, dict[str, object]]:
        """The file, and facts about it; that of an execution which died, where there is: nobody pays for it twice."""
        asked = {"job": work.job.id, "attempt": str(work.call.attempt)}
        known = self._parts.memo.get(work.job.owner, "generation", asked)
        if known is not None:
            return known
        made = maker.make(order, request_id="-".join(asked.values()), stop=work.check)
        facts = {**made.facts, "model": made.model}
        suffix = _SUFFIXES.get(made.media_type, "bin")
        blob = self._parts.artifacts.put_bytes(work.key(f"original.{suffix}"), made.data, made.media_type)
        self._parts.memo.put(work.job.owner, "generation", asked, blob, facts)
        return blob, facts

    # --- made by a provider --------------------------------------------------------------------------------

    @stage(
        GenerationStage.SUBMISSION,
        PROCESSING,
        queue="providers",
        summary="give the work to the provider",
        activity_name="submit-generation",
        span=(0, 10),
    )
    def submit(self, work: Work) -> Product:
        """The work is the provider's, and we know by which name. Its address for webhooks is known before it is told
        to the provider, so that no webhook comes too early."""
        order = self._order(work)
        outside = self._outside(order.type)
        job_id, attempt = work.job.id, work.call.attempt
        ticket = self._store.issue_ticket(job_id, attempt, outside.provider)
        submission = self._store.begin_submission(job_id, attempt, outside.provider)
        if submission.external_id is None:
            work.check()
            # not given up half-way: the provider may have begun, and nobody would know what it calls the work
            prediction = outside.predictions.submit(
                model=outside.models[order.type],
                input=_input_of(order),
                webhook=outside.address(ticket),
                idempotency_key=submission.request_id,
            )
            self._store.bind_work(submission, prediction.id)
            submission = submission.model_copy(update={"external_id": prediction.id})
            self._settle(submission, prediction)
        self._store.bind_submission(job_id, attempt, outside.provider, str(submission.external_id))
        return Product()

    @stage(
        GenerationStage.PROVIDER,
        PROCESSING,
        queue="providers",
        summary="ask the provider, which said nothing by the deadline",
        activity_name="ask-provider",
        span=(10, 10),
    )
    def ask(self, work: Work) -> Product:
        """What the provider says of the work now, if that is its end."""
        submission = self._submission(work)
        prediction = _configured(self._parts.outside).predictions.get(str(submission.external_id), stop=work.check)
        self._settle(submission, prediction)
        return Product()

    @stage(
        GenerationStage.COLLECTION,
        PROCESSING,
        checkpoint=COMPLETED,
        queue="providers",
        summary="take what the provider made",
        activity_name="collect-generation",
        span=(10, 100),
    )
    def collect(self, work: Work) -> Product:
        """What the provider made, checked and kept privately, as assets of the owner's library."""
        order = self._order(work)
        outside = self._outside(order.type)
        submission = self._submission(work)
        outputs = submission.word.outputs if submission.word is not None else ()
        try:
            assets = self._brought(work, order, outputs)
        except ProviderOutputExpired:  # its addresses are short-lived: it gives out others
            fresh = outside.predictions.get(str(submission.external_id), stop=work.check)
            assets = self._brought(work, order, fresh.outputs or outputs)
        return Product(assets=assets, result={"provider": outside.provider, "model": outside.models[order.type]})

    def _brought(self, work: Work, order: GenerationOrder, outputs: tuple[str, ...]) -> list[NewAsset]:
        wanted = outputs[:1] if isinstance(order, SpeechOrder) else outputs
        assets = []
        with TemporaryDirectory(prefix="guidesmith-", dir=self._parts.scratch) as folder:
            for ordinal, url in enumerate(wanted, 1):
                assets.append(self._kept(work, order.type, url, ordinal, Path(folder) / "result"))
                work.advance(ordinal / len(wanted))
        return assets

    def _kept(self, work: Work, of: GenerationType, url: str, ordinal: int, file: Path) -> NewAsset:
        from activities.generating.results import inspected

        outside = self._outside(of)
        outside.outputs.save(url, file, stop=work.check)
        found = inspected(file, of)
        key = work.key(f"original-{ordinal}.{found.suffix}")
        return NewAsset(
            ordinal=ordinal,
            medium=found.medium,
            blob=self._parts.artifacts.put_file(key, file, found.media_type),
            thumbnail=self._thumbnail(work, found.medium, file, ordinal),
            width=found.width,
            height=found.height,
            facts={
                **found.facts,
                "provider": outside.provider,
                "model": outside.models[of],
                "type": str(of),
            },
        )

    def _thumbnail(self, work: Work, medium: AssetMedium, file: Path, ordinal: int) -> Blob | None:
        if medium is not AssetMedium.PICTURE:
            return None
        from activities.stages.image import made_small

        _, small = made_small(file.read_bytes())
        return self._parts.artifacts.put_bytes(work.key(f"thumbnail-{ordinal}.jpg"), small, "image/jpeg")

    def _settle(self, submission: Submission, prediction: "Prediction") -> None:
        word = _word_of(prediction)
        if word is not None:
            self._store.settle_submission(submission, word)

    def _submission(self, work: Work) -> Submission:
        submission = self._store.newest_submission(work.job.id, work.call.attempt)
        if submission is None or submission.external_id is None:
            raise ProviderUnavailable("The work has not been given to the provider yet.")
        return submission

    def _outside(self, of: GenerationType) -> OutsideParts:
        return _configured(self._parts.provider_of(of))

    def _order(self, work: Work) -> GenerationOrder:
        return read_order(self._store.job_input(work.job.id).input)


def _configured(outside: OutsideParts | None) -> OutsideParts:
    if outside is None:
        raise SettingsInvalid("The job's work is a provider's, and this worker has no GUIDESMITH_PREDICTIONS_BASE_URL.")
    return outside


def _word_of(prediction: "Prediction") -> ProviderWord | None:
    """What a prediction says of its end; ``None``: it has not ended."""
    if not prediction.is_over:
        return None
    fault = prediction.fault()
    if fault is None:
        return ProviderWord(outputs=prediction.outputs)
    return ProviderWord(failure_code=fault.code, failure_message=fault.message, passing=fault.retryable)


def _input_of(order: GenerationOrder) -> dict[str, Any]:
    """What the provider's model is given: the user's words over the user's parameters."""
    given = order.model_dump(exclude={"type", "params"}, exclude_none=True)
    return {**getattr(order, "params", {}), **given}
