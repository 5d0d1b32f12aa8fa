// The answer of an analysis: charts that say what is pointed at, and are ordered and saved; tables that are sorted.
import { make } from "../parts/elements.js";
import { tell } from "../parts/messages.js";
import { say } from "../parts/strings.js";

const body = document.querySelector("[data-job]");
const PNG_WIDTH = 1920;

// --- what a value says to who points at it, or goes to it by keys

const latest = new WeakMap(); // chart -> what was said last

function pointed(event) {
  const mark = event.target.closest?.("[data-tip]");
  const card = event.target.closest?.("[data-chart]");
  if (!card) return;
  const shown = card.querySelector("[data-tip-shown]");
  card.querySelector(".pointed")?.classList.remove("pointed");
  shown.hidden = !mark;
  if (!mark) return;
  mark.classList.add("pointed");
  latest.set(card, mark.dataset.tip);
  shown.textContent = mark.dataset.tip;
  const [place, box] = [mark.getBoundingClientRect(), card.getBoundingClientRect()];
  const half = shown.offsetWidth / 2;
  const x = Math.min(Math.max(place.x + place.width / 2 - box.x, half + 8), box.width - half - 8);
  shown.style.setProperty("translate", `calc(${x}px - 50%) calc(${place.y - box.y}px - 100% - 6px)`);
}
body.addEventListener("pointerover", pointed);
body.addEventListener("pointerout", (event) => event.target.closest?.("[data-tip]") && pointed({ target: event.relatedTarget ?? event.target.closest("[data-chart]") }));

/** Arrow keys go from value to value. */
body.addEventListener("keydown", (event) => {
  const drawing = event.target.closest?.("[data-drawing]");
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!drawing || !step) return;
  const marks = [...drawing.querySelectorAll("[data-tip]")];
  if (!marks.length) return;
  event.preventDefault();
  const at = marks.findIndex((each) => each.dataset.tip === latest.get(drawing.closest("[data-chart]"))); // also once the pointer has left it
  pointed({ target: marks[(at + step + marks.length) % marks.length] });
});

// --- its order, and a file of it

const addressOf = (card) => {
  const order = card.querySelector("[data-order]")?.value ?? "computed";
  return `/analysis-outputs/${card.dataset.chart}/chart.svg?order=${order}`;
};

body.addEventListener("change", async ({ target }) => {
  if (!target.matches("[data-order]")) return;
  const card = target.closest("[data-chart]");
  const answer = await fetch(addressOf(card));
  if (!answer.ok) return;
  const come = new DOMParser().parseFromString(await answer.text(), "image/svg+xml").documentElement;
  card.querySelector("[data-tip-shown]").hidden = true;
  card.querySelector("[data-drawing]").replaceChildren(document.adoptNode(come));
  card.querySelector("[data-save-svg]").href = addressOf(card);
});

body.addEventListener("click", async (event) => {
  const link = event.target.closest("[data-save-png]");
  const card = link?.closest("[data-chart]");
  if (!card?.querySelector("[data-order]") || card.querySelector("[data-order]").value === "computed") return; // the file itself
  event.preventDefault();
  try {
    const picture = new Image();
    const text = await (await fetch(addressOf(card))).text();
    picture.src = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
    await picture.decode();
    const canvas = make("canvas", { width: PNG_WIDTH, height: (PNG_WIDTH * picture.height) / picture.width });
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(picture.src);
    const file = await new Promise((done) => canvas.toBlob(done, "image/png"));
    const saved = make("a", { href: URL.createObjectURL(file), download: link.download });
    saved.click();
    setTimeout(() => URL.revokeObjectURL(saved.href), 1000);
  } catch {
    tell(say("chart-unsaved"), "bad");
  }
});

// --- tables

const collator = new Intl.Collator(document.documentElement.lang, { numeric: true });

body.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-sortable] [data-sort]");
  if (!button) return;
  const head = button.closest("th");
  const table = head.closest("table");
  const place = head.cellIndex;
  const isNumber = button.dataset.sort === "number";
  const descending = head.ariaSort ? head.ariaSort === "ascending" : isNumber; // of numbers the largest is looked for
  for (const each of table.tHead.rows[0].cells) each.ariaSort = each === head ? (descending ? "descending" : "ascending") : null;
  const value = (row) => (isNumber ? row.cells[place].dataset.value : row.cells[place].textContent);
  const sign = descending ? -1 : 1;
  const rows = [...table.tBodies[0].rows].sort((one, other) => {
    const [a, b] = [value(one), value(other)];
    if (a === "" || b === "") return (a === "") - (b === ""); // what has no value stands last, either way
    return sign * (isNumber ? Number(a) - Number(b) : collator.compare(a, b));
  });
  table.tBodies[0].replaceChildren(...rows);
});
