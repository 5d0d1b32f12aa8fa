"""What is known about the tables of an analysis: their columns and profiles. Values only, read elsewhere."""

from collections.abc import Iterable
from enum import StrEnum
from hashlib import sha256
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

NAME_LIMIT = 60
"""Characters of a table's or a column's cleaned name."""

Name = Annotated[str, StringConstraints(pattern=r"^[^\W\d_]\w*$", max_length=NAME_LIMIT + 3)]
"""A cleaned name: a letter of any script, then letters, digits and underscores. With room for a number that tells two
apart."""


IDENTIFIERS = frozenset(
    (
        *(
            "id",
            "ids",
            "key",
            "uuid",
            "guid",
            "number",
            "no",
            "nr",
            "num",
            "code",
            "iban",
            "bic",
            "isbn",
            "ean",
            "gtin",
        ),
        *(
            "sku",
            "zip",
            "zipcode",
            "postcode",
            "postal",
            "plz",
            "postleitzahl",
            "pincode",
            "postnummer",
            "telefon",
            "phone",
            "tel",
            "telephone",
            "mobile",
            "fax",
            "ssn",
        ),
        *("ip", "vin", "imei", "barcode", "cap", "cep", "cpf", "cnpj", "siren", "siret", "ahv"),
        *(
            "numero",
            "número",
            "numéro",
            "numer",
            "nummern",
            "номер",
            "番号",
            "编号",
            "código",
            "codigo",
            "codice",
            "kod",
        ),
        *("konto", "gegenkonto", "kostenstelle", "compte", "cuenta", "conto"),
        *("kennung", "kennzeichen", "reference", "referenz", "référence", "ref", "matricule"),
    )
)
"""Last words of headings of names and codes: they tell things apart, and nobody adds them up."""
_IDENTIFIER_ENDS = ("nummer", "nr")
"""How such words end that are written in one (Kundennummer, BelegNr)."""


class ColumnType(StrEnum):
    """NUMBER is anything with decimals, exact where the input is; a TIMESTAMP has no zone (UTC)."""

    INTEGER = "integer"
    NUMBER = "number"
    TEXT = "text"
    DATE = "date"
    TIMESTAMP = "timestamp"
    BOOLEAN = "boolean"

    @property
    def is_numeric(self) -> bool:
        return self in (ColumnType.INTEGER, ColumnType.NUMBER)

    @property
    def is_temporal(self) -> bool:
        return self in (ColumnType.DATE, ColumnType.TIMESTAMP)


class Note(BaseModel):
    """Something about the data that whoever reads the numbers should know. ``code`` is stable."""

    model_config = ConfigDict(frozen=True)

    code: str
    message: str


class ColumnProfile(BaseModel):
    """One column.

    ``original`` is its heading in the input. ``distinct`` is an estimate in tables of more than a million rows.
    ``minimum``, ``maximum``, ``samples`` and ``values`` are data, as short texts: ``values`` holds every value where
    there are few of them, and is empty otherwise. ``numeric_share`` is the part of a text column's values (0 to 1)
    that could be read as numbers. ``stand_ins`` are values of a column of numbers or dates that lie so far from all
    others that they stand for none (-999, 1900-01-01), as ``minimum`` is written; ``summing`` are those of a column of
    texts that name rows whose numbers are other rows' sums.
    """

    model_config = ConfigDict(frozen=True)

    name: Name
    original: str
    type: ColumnType
    nulls: int = Field(default=0, ge=0)
    distinct: int = Field(default=0, ge=0)
    minimum: str | None = None
    maximum: str | None = None
    samples: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    numeric_share: float = Field(default=0.0, ge=0, le=1)
    stand_ins: tuple[str, ...] = ()
    summing: tuple[str, ...] = ()

    @property
    def is_identifier(self) -> bool:
        """Whether its values tell things apart, by its name. No measure, however much it looks like numbers."""
        last = self.name.split("_")[-1]
        return last in IDENTIFIERS or last.endswith(_IDENTIFIER_ENDS)


class TableProfile(BaseModel):
    """One table. ``source`` is the file that it came from, as its owner calls it, with the sheet where it has some."""

    model_config = ConfigDict(frozen=True)

    name: Name
    source: str
    rows: int = Field(ge=0)
    columns: tuple[ColumnProfile, ...]
    notes: tuple[Note, ...] = ()

    def column(self, name: str) -> ColumnProfile:
        """Raises KeyError: there is none of this name."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)


def inputs_fingerprint(files: Iterable[tuple[str, str]]) -> str:
    """SHA-256 (hex) over the input files, each (name, SHA-256 of its bytes), whatever their order. Of no file: empty,
    as the identity of an analysis has it."""
    lines = sorted(f"{digest} {name}" for name, digest in files)
    return sha256("\n".join(["inputs/1", *lines]).encode()).hexdigest() if lines else ""
