"""Make the sample table again: ``sample/analysis/sales.csv``.

    python -m sample.analysis.make_sales

It is drawn from the rule in ``truth.py``: the same bytes each time.
"""

import csv
import io

from sample.analysis.truth import PRODUCTS, SALES, sales


def content() -> str:
    """The file's text."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["Order Date", "Region", "Product", "Units", "Unit Price", "Revenue"])
    for sale in sales():
        price = PRODUCTS[sale.product]
        writer.writerow([sale.day, sale.region, sale.product, sale.units, price, sale.revenue])
    return text.getvalue()


if __name__ == "__main__":
    SALES.write_text(content(), encoding="utf-8", newline="")
