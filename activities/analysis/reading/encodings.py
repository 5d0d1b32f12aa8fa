"""The encoding of a text that somebody sent, found by what its bytes can mean. Runs inside.

UTF is told by marks or by itself. For what is left a detector (uchardet) is asked, and its answer is held against what
the letters look like in words. A text that fits nothing is refused: nothing is replaced, so that two different names
never become one.
"""

import codecs
import re
import unicodedata
from pathlib import Path

from activities.analysis.reading.refusals import Refused

LOOKED_AT_BYTES = 256 << 10
"""Of the lines that are not ASCII: what decides."""
_BLOCK = 1 << 20

TITLES = {
    "cp932": "Shift-JIS (cp932)", "euc_jp": "EUC-JP", "iso2022_jp": "ISO-2022-JP", "gb18030": "GB18030",
    "big5hkscs": "Big5", "cp949": "EUC-KR (cp949)", "cp1250": "Windows-1250", "cp1251": "Windows-1251",
    "cp1252": "Windows-1252", "cp1253": "Windows-1253", "cp1254": "Windows-1254", "cp1255": "Windows-1255",
    "cp1256": "Windows-1256", "cp1257": "Windows-1257", "iso8859-2": "ISO 8859-2",
    "iso8859-15": "ISO 8859-15", "koi8-r": "KOI8-R", "cp866": "DOS 866", "cp850": "DOS 850", "cp852": "DOS 852",
    "mac_roman": "Mac Roman", "mac_cyrillic": "Mac Cyrillic", "cp874": "Windows-874 (Thai)",
    "utf-7": "UTF-7",
}  # fmt: skip
"""What is looked for, and what people call it."""

_WIDE = {
    "cp932": ("shift_jis", "cp932", "windows-31j", "sjis"),
    "euc_jp": ("euc_jp", "euc-jp"),
    "gb18030": ("gb18030", "gbk", "gb2312", "hz", "cp936"),
    "big5hkscs": ("big5", "big5hkscs", "big5-hkscs", "euc_tw", "euc-tw", "cp950"),
    "cp949": ("cp949", "euc_kr", "euc-kr", "uhc", "johab"),
}
"""Encodings of two bytes a letter, and what detectors call them."""

_SINGLE = (
    "cp1252", "mac_roman", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "iso8859-15",
    "iso8859-2", "koi8-r", "mac_cyrillic", "cp866", "cp850", "cp852", "cp874",
)  # fmt: skip
"""Encodings of one byte a letter; of equals the first."""

_SAME = {
    "iso8859-1": "cp1252", "iso8859-3": "cp1252", "iso8859-4": "cp1257", "iso8859-5": "cp1251", "iso8859-6": "cp1256",
    "iso8859-7": "cp1253", "iso8859-8": "cp1255", "iso8859-9": "cp1254", "iso8859-10": "cp1257",
    "iso8859-13": "cp1257", "iso8859-16": "cp1250", "tis-620": "cp874", "iso8859-11": "cp874", "ibm866": "cp866",
    "maccyrillic": "mac_cyrillic", "mac-cyrillic": "mac_cyrillic", "ibm852": "cp852", "ibm850": "cp850",
}  # fmt: skip
"""What a detector says, as the encoding of Windows that holds it."""

_ISO_2022 = re.compile(rb"\x1b\$[@B]|\x1b\([IJ]")
_SHIFTED = re.compile(rb"\+([A-Za-z0-9+/]*)-?")
"""In UTF-7, what is not ASCII (RFC 2152)."""
_USUAL_ALONE = re.compile("[\u0020-\u007e\u00a0-\u017f\u2013\u2014\u2018-\u201e\u2022\u2026\u20ac\u2122\u2212\ufeff]+")
"""What a few letters of UTF-7 are likely to be; longer ones are words of one script."""
_COMMON = {
    "cp932": re.compile(r"[\u3040-\u30ff\uff61-\uff9f\uff01-\uff5e\u3000-\u3002々〆「」・]"),
    "euc_jp": re.compile(r"[\u3040-\u30ff\uff61-\uff9f\uff01-\uff5e\u3000-\u3002々〆「」・]"),
    "cp949": re.compile(r"[\uac00-\ud7a3]"),
}
_FIRST_LEVEL = {
    "cp932": ("cp932", 0x889F, 0x9872),
    "euc_jp": ("euc_jp", 0xB0A1, 0xCFD3),
    "gb18030": ("gb18030", 0xB0A1, 0xD7F9),
    "big5hkscs": ("big5hkscs", 0xA440, 0xC67E),
    "cp949": ("cp949", 0xB0A1, 0xC8FE),
}
"""The characters of everyday use, which each of these standards puts first: from, to."""
_ALPHABETS = tuple(
    frozenset(letters)
    for letters in (
        "àâæçéèêëîïôœùûüÿ", "äöüßé", "áéíñóúüàèïç", "áâãàçéêíóôõúü", "àèéìíîòóùú", "åäöæøéüà", "éëïóöüèê",
        "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "ąćęłńóśźż", "áéíóöőúüű", "ăâîșțşţ", "çğ\u0131öşüâîûi\u0307", "čćđšž",
        "ąčęėįšųūž", "āčēģīķļņšūž", "äõöüšž", "áéíóúýþæðö", "ëç",
    )
)  # fmt: skip
"""The letters of languages of Europe, beyond ASCII's."""
_USUAL = frozenset("éäöüáíóñçãèàåßøčšžřěłąęś\u0131şğ")
_KNOWN = frozenset().union(*_ALPHABETS)
_APOSTROPHE = "\u2019"
_MARKS = "\u2018\u2019\u201a\u201c\u201d\u201e\u2013\u2014\u2026\u00ab\u00bb\u2039\u203a"
_BEHIND = "\u00a9\u00ae\u2122\u00b0\u00b2\u00b3"
_AHEAD = "\u00bf\u00a1\u00a7\u2116"
_BESIDE = f"{_BEHIND}{_AHEAD}\u20ac\u00a3\u00a5\u00b1\u00d7\u00a0"
"""Quotation marks and dashes; signs that stand behind a word (copyright, degree, squared), or before one (inverted
question mark, section); all that may touch one."""
RARE = 0.15
"""From this part of rare characters on, a text in an encoding of two bytes is none."""


def encoding_of(path: Path) -> tuple[str, str | None]:
    """How the file is to be decoded, strictly, and what people call that where it was found by guessing.

    Raises:
        Refused: Nothing fits.
    """
    with path.open("rb") as file:
        begin = file.read(LOOKED_AT_BYTES)
    if (marked := _marked(begin)) is not None:
        return marked, None
    if _is_utf7(path, begin):
        return "utf-7", TITLES["utf-7"]
    if _is_utf8(path):
        return ("iso2022_jp", TITLES["iso2022_jp"]) if _ISO_2022.search(begin) else ("utf-8-sig", None)
    found = _legacy(_telling(path))
    if found is None:
        raise Refused(
            "TABLE_NOT_RECOGNISED",
            "is not text in an encoding that can be told. Save it as UTF-8, or send Parquet or a workbook.",
        )
    return found, TITLES[found]


def _marked(begin: bytes) -> str | None:
    if begin.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if begin.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    for first, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        nuls, others = begin[first::2].count(0), begin[1 - first :: 2].count(0)
        if len(begin) >= 4 and nuls > 0.4 * len(begin[first::2]) and others == 0:
            return encoding
    return None


def _is_utf7(path: Path, begin: bytes) -> bool:
    """Whether every plus begins letters that are likely ones: ``M+APw-ller``, and not ``+49-30``."""
    if b"+" not in begin or not begin.isascii():
        return False
    foreign = False
    for shifted in _SHIFTED.finditer(begin[: begin.rfind(b"\n") + 1] or begin):
        try:
            letters = shifted[0].decode("utf-7")
        except UnicodeDecodeError:
            return False
        scripts = {unicodedata.name(letter, "").split(" ")[0] for letter in letters if letter.isalpha()}
        if not letters or not (
            _USUAL_ALONE.fullmatch(letters)
            or (len(letters) > 1 and len(scripts) == 1 and all(map(str.isalpha, letters)) and scripts != {"CJK"})
        ):
            return False
        foreign = foreign or not letters.isascii()
    return foreign and _decodes(path, "utf-7")


def _is_utf8(path: Path) -> bool:
    return _decodes(path, "utf-8")


def _decodes(path: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    with path.open("rb") as file:
        try:
            while block := file.read(_BLOCK):
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def _telling(path: Path) -> bytes:
    """The first lines that are not ASCII: what tells encodings apart."""
    kept, size = list[bytes](), 0
    with path.open("rb") as file:
        for line in file:
            if not line.isascii():
                kept.append(line)
                size += len(line)
                if size >= LOOKED_AT_BYTES:
                    break
    return b"".join(kept)


def _legacy(sample: bytes) -> str | None:
    from resiliparse.parse.encoding import detect_encoding

    detected = str(detect_encoding(sample, html5_compatible=False) or "").lower()
    wide = next((encoding for encoding, names in _WIDE.items() if detected in names), None)
    if wide is not None and _reads_wide(sample, wide):
        return wide
    detected = _SAME.get(detected, detected)
    scored = [
        ((strange, *_unlikeliness(sample, encoding), encoding != detected, place), encoding)
        for place, encoding in enumerate(_SINGLE)
        if (strange := _strangeness(sample, encoding)) is not None
    ]
    (least, *_), single = min(scored, default=((None,), None))
    if least == 0:
        return single
    # the detector is led astray by a few letters: another encoding of two bytes may fit without a flaw
    fitting = [encoding for encoding in _WIDE if _reads_wide(sample, encoding)]
    if len(fitting) == 1:
        return fitting[0]
    return single if least is not None and least <= sum(byte > 0x7F for byte in sample) // 20 else None


def _decoded(sample: bytes, encoding: str) -> str | None:
    for end in (len(sample), len(sample) - 1):  # cut within a letter
        try:
            return sample[:end].decode(encoding)
        except UnicodeDecodeError:
            continue
    return None


def _reads_wide(sample: bytes, encoding: str) -> bool:
    """Whether nearly all letters are of everyday use."""
    text = _decoded(sample, encoding)
    if text is None:
        return False
    letters = [letter for letter in text if not letter.isascii()]
    codec, first, last = _FIRST_LEVEL[encoding]
    rare = sum(not _is_common(letter, encoding, codec, first, last) for letter in letters)
    return bool(letters) and rare <= RARE * len(letters)


def _is_common(letter: str, encoding: str, codec: str, first: int, last: int) -> bool:
    if (pattern := _COMMON.get(encoding)) is not None and pattern.match(letter):
        return True
    if unicodedata.category(letter) in ("Po", "Ps", "Pe", "Sc", "Zs"):
        return True
    if encoding == "cp949" and not "\uac00" <= letter <= "\ud7a3":
        return False
    made = letter.encode(codec, "ignore")
    return len(made) == 2 and first <= int.from_bytes(made, "big") <= last


def _strangeness(sample: bytes, encoding: str) -> int | None:
    """How many letters stand where no language puts them; ``None``: the bytes mean nothing there."""
    text = _decoded(sample, encoding)
    if text is None:
        return None
    strange = 0
    for before, letter, after in zip(f" {text}", text, f"{text[1:]} ", strict=False):
        if letter.isascii():
            continue
        category = unicodedata.category(letter)
        if category in ("Cc", "Cn", "Co"):
            strange += 3
        elif category[0] in "LM":
            strange += _out_of_place(before, letter, after)
        else:
            strange += _misplaced(before, letter, after)
    return strange


def _unlikeliness(sample: bytes, encoding: str) -> tuple[bool, float]:
    """Whether the letters are of no one language's, and how rare they are on average, from 0 on."""
    text = (_decoded(sample, encoding) or "").lower()
    letters = [letter for letter in text if letter.isalpha() and not letter.isascii()]
    latin = [letter for letter in letters if _script(letter) == "LATIN"]
    if not letters or len(latin) < len(letters):
        return bool(latin), 0.0
    strange = not any(set(latin) <= alphabet for alphabet in _ALPHABETS)
    return strange, sum((letter not in _USUAL) + (letter not in _KNOWN) for letter in latin) / len(latin)


def _misplaced(before: str, sign: str, after: str) -> int:
    """A sign within a word, beside one where it does not belong, or one that hardly anybody writes."""
    within = before.isalpha() and after.isalpha()
    if sign in _MARKS:
        return 2 if within and sign != _APOSTROPHE else 0
    if within:
        return 2
    if before.isalpha() or after.isalpha():
        return int(sign not in _BESIDE or sign in (_BEHIND if after.isalpha() else _AHEAD))
    return int(sign not in _BESIDE and unicodedata.category(sign) in ("Sk", "So", "Sm", "Sc", "Po", "Pf", "Pi"))


def _out_of_place(before: str, letter: str, after: str) -> int:
    """Capitals within a word in small letters; letters of two scripts side by side; letters that stand alone."""
    if letter.isupper() and (before.islower() or (before.isalpha() and after.islower())):
        return 1
    script = _script(letter)
    if any(each.isalpha() and _script(each) != script for each in (before, after)):
        return 1
    return int(letter in "ªºƒˇ" or (script == "LATIN" and unicodedata.name(letter, "").endswith("KRA")))


def _script(letter: str) -> str:
    return "LATIN" if letter.isascii() else unicodedata.name(letter, "UNKNOWN").split(" ")[0]
