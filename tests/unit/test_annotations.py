"""Given what somebody wants drawn, then it is drawn exactly so, and what they hide is gone."""

import io
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageColor, ImageDraw
from PIL.PngImagePlugin import PngInfo
from pydantic import TypeAdapter, ValidationError

from activities.pictures.drawing import RENDERER, draw
from domain.documents.annotations import MOST_OPERATIONS, MOST_POINTS, Operation, Operations, canonical, ops_hash
from domain.errors import UploadInvalid

OPERATIONS: TypeAdapter[tuple[Operation, ...]] = TypeAdapter(Operations)
SIZE = (320, 200)
BOX = {"x": 0.25, "y": 0.2, "w": 0.5, "h": 0.4}
BOX_PIXELS = (80, 40, 240, 120)
BLUR = {"op_type": "blur", "geometry": BOX}
ARROW = {"op_type": "arrow", "geometry": {"x1": 0.1, "y1": 0.9, "x2": 0.5, "y2": 0.5}}
MARKER = {"op_type": "marker", "geometry": BOX}
PENCIL = {"op_type": "pencil", "geometry": {"points": [[0.1, 0.1], [0.2, 0.3], [0.4, 0.1]]}}
RING = {"op_type": "ring", "geometry": BOX}
CROP = {"op_type": "crop", "geometry": BOX}
OUTLINE = {"op_type": "outline", "geometry": BOX}
TEXT = {"op_type": "text", "geometry": BOX, "text": "Click here\nfirst"}
NUMBER = {"op_type": "number", "geometry": BOX, "number": 7}
EACH = (BLUR, ARROW, MARKER, PENCIL, RING, OUTLINE, TEXT, NUMBER, CROP)


def read(*operations: dict[str, Any]) -> tuple[Operation, ...]:
    return OPERATIONS.validate_python(list(operations))


def png(image: Image.Image, **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG", **options)
    return out.getvalue()


def screen(seed: int = 1) -> Image.Image:
    """A screen of noise: every pixel tells something."""
    noise = np.random.default_rng(seed).integers(0, 256, (SIZE[1], SIZE[0], 3), dtype=np.uint8)
    return Image.fromarray(noise)


def drawn(base: Image.Image | bytes, *operations: dict[str, Any]) -> Image.Image:
    data, *size = draw(base if isinstance(base, bytes) else png(base), read(*operations))
    image = Image.open(io.BytesIO(data))
    assert [*image.size] == size
    return image


def chunks(data: bytes) -> set[bytes]:
    kinds, at = set(), 8
    while at < len(data):
        kinds.add(data[at + 4 : at + 8])
        at += 12 + struct.unpack(">I", data[at : at + 4])[0]
    return kinds


# --- what may be asked for -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "operation",
    [
        {"op_type": "circle", "geometry": BOX},
        {"op_type": "blur"},
        {"op_type": "blur", "geometry": {"x": 0, "y": 0, "w": 1}},
        {"op_type": "blur", "geometry": {"x1": 0, "y1": 0, "x2": 1, "y2": 1}},
        *({"op_type": "blur", "geometry": BOX | {"x": bad}} for bad in (-0.1, 1.1, float("nan"), float("inf"), "0.1")),
        *({"op_type": "blur", "geometry": BOX | {"w": bad}} for bad in (0, -1, 0.76, True, None)),
        {"op_type": "crop", "geometry": BOX | {"w": 0.01}},
        *(TEXT | {"text": bad} for bad in ("", " \n", "a\x07", "a\u202eb", "x" * 301, 5)),
        *(NUMBER | {"number": bad} for bad in (0, 1000, 1.5, "1", True)),
        CROP | {"style": {"whole": "yes"}},
        {"op_type": "arrow", "geometry": {"x1": 0.5, "y1": 0.5, "x2": 0.5, "y2": 0.5}},
        {"op_type": "pencil", "geometry": {"points": []}},
        {"op_type": "pencil", "geometry": {"points": [[0.1]]}},
        {"op_type": "pencil", "geometry": {"points": [[0.1, 0.2, 0.3]]}},
        {"op_type": "pencil", "geometry": {"points": [[0.1, float("nan")]]}},
        {"op_type": "pencil", "geometry": {"points": [[0.5, 0.5]] * (MOST_POINTS + 1)}},
        *(ARROW | {"style": {"color": bad}} for bad in ("red", "#fff", "#12345g", "url(x)", 5)),
        *(ARROW | {"style": {"width": bad}} for bad in (0, 0.5, -1, float("inf"))),
        *(ARROW | {"style": {"opacity": bad}} for bad in (-0.1, 1.1)),
        *(BLUR | {"style": {"strength": bad}} for bad in (-1, float("nan"), "strong")),
    ],
    ids=lambda operation: repr(operation)[:80],
)
def test_given_an_operation_that_no_picture_can_have_when_read_then_it_is_refused(operation: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        read(operation)


@pytest.mark.parametrize(
    "operations",
    [
        [],
        [ARROW] * (MOST_OPERATIONS + 1),
        [{"op_type": "pencil", "geometry": {"points": [[0.5, 0.5]] * 3_000}}] * 2,
        [{"op_type": "blur", "geometry": {"x": 0, "y": 0, "w": 1, "h": 1}}] * 21,
        [{"op_type": "arrow", "geometry": {"x1": 1, "y1": 0, "x2": 0, "y2": 1}}] * 21,
        [{"op_type": "pencil", "geometry": {"points": [[0, 0.5], [1, 1], [0.5, 0]]}}] * 21,
    ],
    ids=["none", "too many", "too many points together", *["much too much of the picture"] * 3],
)
def test_given_too_few_or_too_many_when_read_then_they_are_refused(operations: list[dict[str, Any]]) -> None:
    with pytest.raises(ValidationError):
        read(*operations)


def test_given_fractions_that_add_up_to_a_hair_over_1_when_read_then_they_are_taken() -> None:
    read({"op_type": "blur", "geometry": {"x": 0.7, "y": 0, "w": 0.1 + 0.2, "h": 1}})


# --- one drawing, one hash -------------------------------------------------------------------------------------


def test_given_the_same_said_in_other_words_when_hashed_then_it_is_the_same() -> None:
    plain = read(MARKER)
    spelled = read(
        {
            "style": {"opacity": 0.4, "color": "#FFD60A", "width": 0.01},
            "geometry": {"h": 0.4, "w": 0.5000000001, "y": 0.2, "x": 0.25},
            "op_type": "marker",
        }
    )
    assert canonical(plain) == canonical(spelled)
    assert ops_hash("a" * 64, plain, RENDERER) == ops_hash("a" * 64, spelled, RENDERER)
    assert draw(png(screen()), plain) == draw(png(screen()), spelled)


def test_given_another_picture_operation_order_or_renderer_when_hashed_then_it_is_another() -> None:
    hashes = [
        ops_hash("a" * 64, read(BLUR, ARROW), "1"),
        ops_hash("b" * 64, read(BLUR, ARROW), "1"),
        ops_hash("a" * 64, read(ARROW, BLUR), "1"),
        ops_hash("a" * 64, read(BLUR, ARROW), "2"),
        ops_hash("a" * 64, read(BLUR | {"style": {"strength": 0.6}}, ARROW), "1"),
        ops_hash("a" * 64, read(BLUR, ARROW | {"style": {"width": 0.005}}), "1"),
    ]
    assert len(set(hashes)) == len(hashes)
    assert all(len(each) == 64 for each in hashes)


def test_given_what_was_hashed_once_when_hashed_by_a_later_version_then_it_is_found_again() -> None:
    """Stored hashes must stay what they are: this one is written down."""
    assert canonical(read(BLUR, PENCIL)) == (
        '[{"geometry":{"h":400000,"w":500000,"x":250000,"y":200000},"op_type":"blur","style":{"strength":500000}},'
        '{"geometry":{"points":[[100000,100000],[200000,300000],[400000,100000]]},"op_type":"pencil",'
        '"style":{"color":"#e5484d","opacity":1000000,"width":4000}}]'
    )
    assert ops_hash("a" * 64, read(BLUR, PENCIL), "1") == (
        "aa14c28efaa027d33b93a8451eae9f92ef5e90a5c42c4402465c03c944eade98"
    )


# --- the picture -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("operation", EACH, ids=lambda each: str(each["op_type"]))
def test_given_the_same_picture_and_operations_when_drawn_then_the_bytes_are_the_same(
    operation: dict[str, Any],
) -> None:
    first, again = (draw(png(screen()), read(operation)) for _ in range(2))
    assert first == again
    assert first[0] != png(screen())


@pytest.mark.parametrize("operation", EACH[:-1], ids=lambda each: str(each["op_type"]))
def test_given_an_operation_when_drawn_then_what_is_outside_of_it_stays_bit_by_bit(operation: dict[str, Any]) -> None:
    before, after = np.asarray(screen()), np.asarray(drawn(screen(), operation))
    changed = np.argwhere((before != after).any(axis=2))
    assert len(changed)
    (top, left), (bottom, right) = changed.min(axis=0), changed.max(axis=0)
    within = {
        "blur": (80, 40, 239, 119),
        "marker": (80, 40, 239, 119),
        "arrow": (30, 98, 162, 182),
        "pencil": (30, 18, 130, 62),
        "ring": (72, 32, 247, 127),
        "outline": (79, 39, 240, 120),
        "text": (80, 40, 239, 119),
        "number": (80, 40, 239, 119),
    }[operation["op_type"]]
    assert (left, top) >= within[:2]
    assert (right, bottom) <= within[2:]


def test_given_a_marker_when_drawn_then_its_colour_lies_over_what_stays_legible() -> None:
    page = Image.new("RGB", SIZE, "white")
    ImageDraw.Draw(page).rectangle((100, 60, 120, 80), fill="black")
    marked = drawn(page, MARKER | {"style": {"color": "#0000ff", "opacity": 0.5}})
    assert marked.getpixel((90, 50)) == (127, 127, 255)
    assert marked.getpixel((110, 70)) == (0, 0, 128)
    assert marked.getpixel((79, 50)) == (255, 255, 255)


def test_given_an_arrow_when_drawn_then_its_head_is_where_it_points() -> None:
    page = Image.new("RGB", SIZE, "white")
    arrow = np.asarray(drawn(page, ARROW | {"style": {"color": "#000000", "width": 0.01}}).convert("L")) < 128
    tail, head = arrow[170:182, 26:44].sum(), arrow[98:118, 142:166].sum()
    assert arrow[102, 159] or arrow[101, 158]
    assert head > 1.5 * tail > 0


def test_given_an_opacity_of_nothing_when_drawn_then_nothing_changes() -> None:
    invisible = [each | {"style": {"opacity": 0}} for each in (ARROW, MARKER, PENCIL)]
    assert np.array_equal(np.asarray(drawn(screen(), *invisible)), np.asarray(screen()))


def test_given_a_line_that_turns_on_itself_when_drawn_then_it_is_as_transparent_as_the_rest() -> None:
    page = Image.new("RGB", SIZE, "white")
    there_and_back = {"points": [[0.2, 0.5], [0.8, 0.5], [0.2, 0.5]]}
    line = drawn(page, {"op_type": "pencil", "geometry": there_and_back, "style": {"width": 0.05, "opacity": 0.5}})
    assert {line.getpixel((x, 100)) for x in (70, 160, 250)} == {line.getpixel((160, 100))} != {(255, 255, 255)}


def test_given_a_photo_that_was_turned_when_drawn_then_it_is_drawn_as_people_see_it() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # stored lying on its side
    out = io.BytesIO()
    Image.new("RGB", (300, 200), "white").save(out, "JPEG", exif=exif)
    corner = {"op_type": "marker", "geometry": {"x": 0, "y": 0, "w": 0.5, "h": 0.1}, "style": {"opacity": 1}}
    image = drawn(out.getvalue(), corner)
    assert image.size == (200, 300)
    assert image.getpixel((99, 29)) == (255, 214, 10)
    assert image.getpixel((101, 5)) == image.getpixel((5, 31)) == (255, 255, 255)


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P", "L", "1", "I;16", "CMYK"])
def test_given_a_picture_of_any_mode_when_drawn_then_it_comes_out_in_colour_on_white(mode: str) -> None:
    if mode == "I;16":
        base = Image.fromarray(np.full((SIZE[1], SIZE[0]), 0x8000, dtype=np.uint16))
    else:
        base = Image.new("RGBA" if mode in ("RGBA", "LA") else "RGB", SIZE, (0, 0, 0, 0) if "A" in mode else "#808080")
        base = base.quantize(4) if mode == "P" else base.convert(mode)
    out = io.BytesIO()
    base.save(out, "JPEG" if mode == "CMYK" else "PNG")
    image = drawn(out.getvalue(), MARKER)
    assert image.mode == "RGB"
    expected = {"RGBA": 255, "LA": 255}.get(mode, 128)
    got = image.getpixel((0, 0))
    assert isinstance(got, tuple)
    if mode != "1":
        assert all(abs(channel - expected) <= 1 for channel in got)


@settings(max_examples=100, deadline=None)
@given(
    size=st.tuples(st.integers(1, 60), st.integers(1, 60)),
    numbers=st.lists(st.floats(0, 1), min_size=6, max_size=6),
    width=st.floats(0.001, 0.1),
)
def test_given_any_size_and_any_place_when_drawn_then_there_is_a_picture(
    size: tuple[int, int], numbers: list[float], width: float
) -> None:
    x, y, w, h, x2, y2 = numbers
    box = {"x": x, "y": y, "w": max(min(w, 1 - x), 1e-6), "h": max(min(h, 1 - y), 1e-6)}
    if box["x"] + box["w"] > 1 or box["y"] + box["h"] > 1 or (round(x, 6), round(y, 6)) == (round(x2, 6), round(y2, 6)):
        return
    style = {"style": {"width": width}}
    operations: list[dict[str, Any]] = [
        {"op_type": "blur", "geometry": box},
        {"op_type": "marker", "geometry": box},
        {"op_type": "arrow", "geometry": {"x1": x, "y1": y, "x2": x2, "y2": y2}, **style},
        {"op_type": "pencil", "geometry": {"points": [[x, y], [x2, y2], [x, y2]]}, **style},
        {"op_type": "outline", "geometry": box, **style},
        {"op_type": "text", "geometry": box, "text": "What\nto do"},
        {"op_type": "number", "geometry": box, "number": 42},
    ]
    assert drawn(Image.new("RGB", size, "white"), *operations).size == size


def test_given_what_is_no_picture_when_drawn_on_then_it_is_refused() -> None:
    with pytest.raises(UploadInvalid):
        draw(b"<svg/>", read(BLUR))


# --- what is hidden is gone ------------------------------------------------------------------------------------


def secret(seed: int, cell: int) -> Image.Image:
    """A screen whose blurred region has, in each cell of so many pixels, the same average whatever the seed, and else
    nothing in common: each cell shuffles the same shades."""
    page = np.asarray(screen(0)).copy()
    left, top, right, bottom = BOX_PIXELS
    rng = np.random.default_rng(seed)
    for y in range(top, bottom, cell):
        for x in range(left, right, cell):
            shades = rng.permutation(np.arange(cell * cell) % 256).astype(np.uint8)
            page[y : y + cell, x : x + cell] = shades.reshape(cell, cell)[:, :, None]
    return Image.fromarray(page)


@pytest.mark.parametrize(("strength", "cell"), [(0, 40), (0.5, 40), (1, 40), (50, 40)])
def test_given_two_secrets_alike_from_afar_when_blurred_then_the_files_are_the_same(strength: float, cell: int) -> None:
    blur = read(BLUR | {"style": {"strength": strength}})
    one, other = png(secret(1, cell)), png(secret(2, cell))
    assert one != other
    assert draw(one, blur) == draw(other, blur)


@pytest.mark.parametrize("strength", [0, 0.5, 1])
def test_given_a_region_when_blurred_then_it_is_made_of_a_few_averages_in_few_shades(strength: float) -> None:
    before, after = (
        screen(3).crop(BOX_PIXELS),
        drawn(screen(3), BLUR | {"style": {"strength": strength}}).crop(BOX_PIXELS),
    )
    same = (np.asarray(before) == np.asarray(after)).all(axis=2).mean()
    assert same < 0.01  # by chance
    assert np.asarray(after, dtype=int).std() < np.asarray(before, dtype=int).std() / 5


def test_given_text_when_blurred_then_it_reads_like_any_other_text() -> None:
    """The words of a line are no longer told apart: what is left of them is how dark the line was."""

    def line(text: str) -> bytes:
        page = Image.new("RGB", (1920, 200), "white")
        ImageDraw.Draw(page).text((200, 90), text, fill="black", font_size=18)
        return png(page)

    hide = read({"op_type": "blur", "geometry": {"x": 0.1, "y": 0.4, "w": 0.1, "h": 0.2}})
    left, right = draw(line("hunter2"), hide), draw(line("hunteZ7"), hide)
    assert line("hunter2") != line("hunteZ7")
    assert left == right


def test_given_a_stronger_blur_when_drawn_then_it_is_coarser() -> None:
    whole = {"op_type": "blur", "geometry": {"x": 0, "y": 0, "w": 1, "h": 1}}
    stripes = Image.fromarray(np.tile(np.arange(1600) // 40 % 2 * 255, (900, 1)).astype(np.uint8)).convert("RGB")

    def contrast(strength: float) -> float:
        return float(np.asarray(drawn(stripes, whole | {"style": {"strength": strength}})).std())

    assert contrast(0) > 2 * contrast(1)


def test_given_a_blur_over_an_arrow_when_drawn_then_the_arrow_is_gone_too() -> None:
    page = Image.new("RGB", SIZE, "white")
    arrow = {
        "op_type": "arrow",
        "geometry": {"x1": 0.3, "y1": 0.3, "x2": 0.7, "y2": 0.5},
        "style": {"color": "#000000"},
    }
    assert np.asarray(drawn(page, BLUR, arrow)).min() == 0
    assert np.asarray(drawn(page, arrow, BLUR)).min() > 150


def test_given_a_picture_that_carries_more_than_pixels_when_drawn_then_nothing_else_comes_along() -> None:
    exif = Image.Exif()
    exif[0x010E] = "hunter2"
    notes = PngInfo()
    notes.add_text("Comment", "hunter2")
    notes.add_itxt("XML:com.adobe.xmp", "<x>hunter2</x>")
    base = png(screen(), exif=exif, pnginfo=notes, icc_profile=b"hunter2" * 20, dpi=(300, 300))
    assert base.count(b"hunter2") == 3
    data, *_ = draw(base, read(BLUR))
    assert chunks(data) == {b"IHDR", b"IDAT", b"IEND"}
    assert b"hunter2" not in data


def test_given_colours_under_full_transparency_when_drawn_then_they_are_gone() -> None:
    hidden = np.zeros((SIZE[1], SIZE[0], 4), dtype=np.uint8)
    hidden[:, :, :3] = np.asarray(screen(5))  # alpha 0: nobody sees it, and every byte is there
    image = drawn(png(Image.fromarray(hidden)), ARROW)
    assert np.asarray(image)[:10].min() == 255


# --- rings and crops -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ground", ["#ffffff", "#000000", "#e11d48", "#8a8f98"])
def test_given_a_ring_on_any_ground_then_a_line_around_the_box_stands_out_and_the_box_keeps_its_pixels(
    ground: str,
) -> None:
    base = Image.new("RGB", SIZE, ground)
    ringed = np.asarray(drawn(base, RING)).astype(int)
    left, top, right, bottom = BOX_PIXELS
    plain = np.asarray(base).astype(int)
    for inside in (np.s_[top:bottom, left + 12 : right - 12], np.s_[top + 12 : bottom - 12, left:right]):
        assert (ringed[inside] == plain[inside]).all()
    for side in (ringed[(top + bottom) // 2, :left], ringed[(top + bottom) // 2, right:], ringed[:top, SIZE[0] // 2]):
        assert _contrast(side, plain[0, 0]) >= 3
    assert (ringed[:20, :20] == plain[:20, :20]).all()


def _contrast(pixels: "np.ndarray[Any, Any]", ground: "np.ndarray[Any, Any]") -> float:
    """The best contrast (WCAG 2) of any of the pixels with the ground."""

    def light(colour: "np.ndarray[Any, Any]") -> Any:
        parts = colour / 255
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return linear @ np.array([0.2126, 0.7152, 0.0722])

    lights, beside = light(pixels), light(ground)
    return float(((np.maximum(lights, beside) + 0.05) / (np.minimum(lights, beside) + 0.05)).max())


def test_given_a_ring_at_the_edge_then_it_keeps_within_the_picture() -> None:
    whole = RING | {"geometry": {"x": 0, "y": 0, "w": 1, "h": 1}}
    ringed = np.asarray(drawn(Image.new("RGB", SIZE, "#ffffff"), whole)).astype(int)
    reds = (ringed[:, :, 0] - ringed[:, :, 1]) > 100
    assert reds[100, :20].any() and reds[100, -20:].any() and reds[:20, 160].any() and reds[-20:, 160].any()


def test_given_a_crop_then_only_that_part_is_in_the_file_whatever_the_order() -> None:
    base = screen()
    assert drawn(base, CROP).tobytes() == base.crop(BOX_PIXELS).tobytes()
    assert drawn(base, CROP, ARROW).tobytes() == drawn(base, ARROW).crop(BOX_PIXELS).tobytes()


def test_given_two_crops_then_they_are_refused() -> None:
    with pytest.raises(ValidationError, match="crops the picture more than once"):
        read(CROP, CROP)


# --- labels ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["Add", "Größe", "Привет", "שלום", "नमस्ते"])
@pytest.mark.parametrize(("color", "ink"), [("#e5484d", (255, 255, 255)), ("#ffd60a", (17, 17, 17))])
def test_given_words_of_any_script_when_drawn_then_they_stand_out_on_their_label(
    text: str, color: str, ink: tuple[int, int, int]
) -> None:
    image = drawn(Image.new("RGB", SIZE, "#808080"), TEXT | {"text": text, "style": {"color": color}})
    shades = {shade for _, shade in image.crop(BOX_PIXELS).getcolors(SIZE[0] * SIZE[1]) or ()}
    assert ink in shades
    assert image.getpixel((BOX_PIXELS[0] + 80, BOX_PIXELS[1] + 2)) == ImageColor.getrgb(color)


def test_given_words_that_no_font_has_when_drawn_then_it_is_said_which() -> None:
    with pytest.raises(UploadInvalid, match="\U00012000"):
        drawn(screen(), TEXT | {"text": "Sumer: \U00012000"})


def test_given_a_number_when_drawn_then_it_is_a_circle_in_the_middle_of_its_box() -> None:
    image = drawn(Image.new("RGB", SIZE, "#808080"), NUMBER)
    left, top, right, bottom = BOX_PIXELS
    middle = (left + right) // 2
    assert image.getpixel((left + 2, (top + bottom) // 2)) == (128, 128, 128)
    assert image.getpixel((middle, top + 1)) == (255, 255, 255)
    assert image.getpixel((middle, top + 9)) == ImageColor.getrgb("#e5484d")
