"""The process that draws pages of a PDF: how large each is, or one of them as a picture, then it ends.

It is confined: it sees the PDF and the folder for its answer, and nothing else. Run as a script.
"""

from pathlib import Path

from activities.confined import inside


def main() -> None:
    order = inside.order()
    document, out = Path(order["document"]), Path(order["out"])
    inside.lock_down(readable=[document], writable=[out])
    import pypdfium2  # behind the lock: it reads a file that many pictures of strangers are part of

    try:
        pdf = pypdfium2.PdfDocument(document)
    except pypdfium2.PdfiumError:
        inside.report(error="unreadable")
        return
    number = order["page"]
    if number is None:
        shown = range(min(len(pdf), order["most"]))
        inside.report(count=len(pdf), sizes=[list(pdf.get_page_size(each)) for each in shown])
        return
    if number >= len(pdf):
        inside.report(error="absent")
        return
    page = pdf[number]
    scale = min(order["width"] / max(page.get_width(), 1), order["longest"] / max(page.get_height(), 1))
    picture = page.render(scale=scale).to_pil()
    picture.save(out / "page.webp", "WEBP", quality=order["quality"], method=2)
    inside.report(file="page.webp")


if __name__ == "__main__":
    main()
