"""What is private on the pictures of an instruction: found by what was read off the screen, and blurred."""

from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter
from pydantic import Field, StringConstraints

from activities.tasks.redacting import Redactions, Redactor
from domain.documents.privacy import LEAST_LISTED, LONGEST_LISTED, MOST_LISTED, PrivateKind, Unchecked
from starter.api.context import Api, ApiParts, Owner, identifier
from starter.api.responses import errors
from starter.api.shapes import Line, Sent, Shape
from starter.setting_values import listed

router = APIRouter(tags=["screenshots"])

Listed = Annotated[Line, StringConstraints(min_length=LEAST_LISTED, max_length=LONGEST_LISTED)]


Words = Annotated[tuple[Listed, ...], Field(max_length=MOST_LISTED)]


class PrivateWords(Sent):
    words: Words = Field(description="Words and names that are private on all your pictures.")


class NewRedaction(Sent):
    also: Words = Field(
        default=(), description="Words and names that are private, too, besides those of GUIDESMITH_REDACT_ALSO."
    )
    listed: bool = Field(default=True, strict=True, description="Also those of your own list.")
    preview: bool = Field(default=False, strict=True, description="Only say what would be blurred.")


class PrivateAnswer(Shape):
    kind: PrivateKind
    text: str
    pictures: int = Field(description="On how many of the pictures that show it stands.")


class RedactedPicture(Shape):
    anchor_id: str
    active_asset_id: str = Field(description="What shows now.")
    blurs: int = Field(description="How many were added, or with preview would be.")
    unchecked: Unchecked | None = Field(
        description="Why nobody can say that nothing private is on it any more: it is of no moment of the recording, "
        "nothing was read at that moment, it was read badly, or the picture is lost. Look at it yourself."
    )


class RedactionAnswer(Shape):
    found: tuple[PrivateAnswer, ...]
    pictures: tuple[RedactedPicture, ...]
    unchecked: int = Field(description="How many pictures could not be checked.")

    @classmethod
    def of(cls, made: Redactions) -> "RedactionAnswer":
        return cls(
            found=tuple(PrivateAnswer(kind=one.kind, text=one.text, pictures=count) for one, count in made.found),
            pictures=tuple(
                RedactedPicture(
                    anchor_id=each.anchor_id,
                    active_asset_id=each.asset_id,
                    blurs=each.blurs,
                    unchecked=each.unchecked,
                )
                for each in made.pictures
            ),
            unchecked=sum(each.unchecked is not None for each in made.pictures),
        )


@router.get("/private-words", responses=errors())
def get_private_words(api: ApiParts, owner: Owner) -> PrivateWords:
    """The words and names that you have listed as private."""
    return PrivateWords(words=api.store.private_words(owner))


@router.put("/private-words", responses=errors(413, 415))
def put_private_words(new: PrivateWords, api: ApiParts, owner: Owner) -> PrivateWords:
    """List words and names that are private: they are blurred wherever you have what is private blurred, and on what a
    model is sent. What is blurred already stays so."""
    return PrivateWords(words=api.store.keep_private_words(owner, new.words))


@router.post("/instructions/{instruction_id}/redactions", responses=errors(400, 404, 413, 415))
async def redact(instruction_id: str, new: NewRedaction, api: ApiParts, owner: Owner) -> RedactionAnswer:
    """Blur e-mail addresses, keys and tokens, card and phone numbers, and listed words on every picture that shows.

    Each picture that has some becomes a new version of itself, and the earlier one stays below it. Once more: only what
    is new. What could not be checked is told.
    """
    instruction = identifier(instruction_id)
    redactor = _redactor(api)
    work = redactor.find if new.preview else redactor.redact
    own = await to_thread.run_sync(api.store.private_words, owner) if new.listed else ()
    words = tuple(dict.fromkeys((*listed(api.settings.redact_also), *own, *new.also)))
    return RedactionAnswer.of(await to_thread.run_sync(work, owner, instruction, words, limiter=api.drawing))


def _redactor(api: Api) -> Redactor:
    from activities.tasks.annotating import Annotator

    return Redactor(api.store, api.artifacts, Annotator(api.store, api.artifacts))
