"""What a brand adds to the style of a page: after our own, which stands as it is."""

import base64
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from domain.documents.brand import DARK, LIGHT, Brand, Shade, shade

FONT_FACE = "@font-face"


def sheet(brand: Brand, shown: str) -> Iterable[str]:
    """Rules, colours and the font of a page that says ``shown``, which may have markup in it."""
    yield _rules()
    light, dark = shade(brand, LIGHT), shade(brand, DARK)
    if light is not None and dark is not None:
        yield from colours(":root", light, dark)
    if brand.font is not None:
        yield from _font(brand.font, shown)


def colours(within: str, light: Shade, dark: Shade) -> Iterable[str]:
    """An accent for what the selector names, as each theme shows it."""
    yield f"{within} {{ {_palette(light)} }}\n@media (prefers-color-scheme: dark) {{ {within} {{ {_palette(dark)} }} }}"
    yield f"@media print {{ {within} {{ {_palette(light)} }} }}"


def _palette(shade: Shade) -> str:
    return f"--accent: {shade.ink}; --accent-wash: {shade.wash}; --fill: {shade.fill}; --on-accent: {shade.on_fill};"


def _font(family: str, shown: str) -> Iterable[str]:
    """The family, as much of it as ``shown`` takes; where fonts are not installed, its name alone, for who has it."""
    name = family.replace(" ", "-")
    try:
        from activities.publishing.fonts import web_fonts  # brings the typesetters along
    except ModuleNotFoundError:
        faces: dict[str, bytes] = {}
    else:
        faces = web_fonts(family, shown)
    for style, data in faces.items():
        address = f"data:font/woff;base64,{base64.b64encode(data).decode()}"
        yield (
            f'{FONT_FACE} {{ font-family: "{name} embedded"; font-style: {style}; font-weight: 100 900; '
            f'src: url("{address}") format("woff"); }}'
        )
    yield f':root {{ --body: "{name} embedded", "{family}", system-ui, -apple-system, "Segoe UI", sans-serif; }}'


@cache
def _rules() -> str:
    return files("activities.publishing.branding").joinpath("page.css").read_text(encoding="utf-8")
