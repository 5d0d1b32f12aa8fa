// The dialog that puts two people's changes together, block by block, where both have changed the instruction.
import { shown } from "../../parts/asking.js";
import { freshId, make } from "../../parts/elements.js";
import { say } from "../../parts/strings.js";
import { openDiff } from "./differ.js";
import { merge, outcome } from "./merging.js";

/**
 * Ask what the document shall be.
 * @param {{base: Block[], mine: Block[], theirs: Block[], number: number, saves: boolean}} sides `number`: their
 *   version's; `saves`: it is saved right away
 * @returns {Promise<Block[] | null>} null where nothing was decided
 */
export async function settleConflict({ base, mine, theirs, number, saves }) {
  const rows = merge(base, mine, theirs);
  const open = [];
  const both = rows.filter((row) => row.by === "both");
  const id = freshId("conflict");
  const merges = make("button", { class: "button primary", value: "merge", disabled: both.length > 0 }, say(saves ? "conflict-save" : "conflict-take"));
  const left = make("span", { class: "faint", role: "status" });
  const decided = () => {
    const count = both.filter((row) => !row.isDecided).length;
    merges.disabled = count > 0;
    left.textContent = count ? say("conflict-left", { count }) : "";
  };
  const dialog = make(
    "dialog",
    { class: "conflict", "aria-labelledby": id },
    make("h2", { id }, say("conflict-title", { number })),
    make("p", {}, both.length ? say("conflict-choose", { count: both.length }) : say("conflict-clean")),
    make("div", { class: "changes" }, ...rows.filter((row) => row.by !== "same").map((row) => (row.by === "both" ? contested(row, open, decided) : settled(row, number)))),
    make(
      "form",
      { method: "dialog", class: "row ends" },
      merges,
      make("button", { class: "button", value: "" }, say("cancel")),
      left,
    ),
  );
  const closed = shown(dialog);
  for (const show of open) show();
  decided();
  return (await closed) === "merge" ? outcome(rows) : null;
}

/** Something that one of the two has changed: shown, nothing to decide. */
function settled(row, number) {
  const who = row.by;
  const did = row.base === null ? "new" : row.result === null ? "gone" : "only";
  const holder = make("div", { class: "diff" });
  const details = make("details", { class: "card change" }, make("summary", {}, named(row), make("span", { class: "faint" }, say(`conflict-${did}-${who}`, { number }))), holder);
  let drawn = false;
  details.addEventListener("toggle", () => {
    if (drawn) return;
    drawn = true;
    openDiff(holder, { before: row.base ?? "", text: row.result ?? "", label: say("conflict-result", { label: titleOf(row) }) });
  });
  return details;
}

/** Something that both have changed: theirs, mine or both, and whatever is then made of it by hand. Nothing is chosen until
 * somebody chooses. */
function contested(row, open, decided) {
  const name = freshId("choice");
  const holder = make("div", { class: "diff" });
  const gone = row.mine === null || row.theirs === null;
  const choices = gone ? deletion(row) : texts(row);
  let diff;
  row.result = row.mine ?? row.theirs; // what the comparison begins with
  const decide = (text) => {
    row.result = text;
    row.isDecided = true;
    decided();
  };
  const put = (text) => {
    holder.hidden = text === null;
    if (text !== null) diff?.put(text);
    decide(text);
  };
  const options = choices.map(({ words, text }) => make("label", { class: "choice" }, make("input", { type: "radio", name, onchange: () => put(text) }), words));
  open.push(() => {
    diff = openDiff(holder, {
      before: row.theirs ?? row.base,
      text: row.result ?? "",
      label: say("conflict-result", { label: titleOf(row) }),
      changed: (text) => decide(text.trim() ? text : null),
    });
  });
  return make("fieldset", { class: "change" }, make("legend", {}, `${titleOf(row)} · ${say("conflict-by-both")}`), make("div", { class: "row" }, ...options), holder);
}

const texts = (row) => [
  { words: say("conflict-mine"), text: row.mine },
  { words: say("conflict-theirs"), text: row.theirs },
  { words: say("conflict-both"), text: `${row.mine}\n\n${row.theirs}` },
];

const deletion = (row) => [
  { words: say("conflict-keep"), text: row.mine ?? row.theirs },
  { words: say("conflict-drop"), text: null },
];

const named = (row) => make("strong", {}, titleOf(row), " ");

function titleOf({ base, mine, theirs }) {
  const line = (mine ?? theirs ?? base).trim().split("\n")[0].replace(/^#+\s*|[*_`]/g, "");
  return line.length > 60 ? `${line.slice(0, 60)}…` : line;
}
