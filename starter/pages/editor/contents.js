// What the document is made of: its sections and steps, each a link to its block.
import { make } from "../parts/elements.js";

const FEWEST = 3; // shorter ones are seen at a glance
const LISTED = ["section", "step"];
const holder = document.querySelector("[data-contents]");
const list = holder.querySelector("ol");
let shown = "";

/** Let the list show what sections and steps are called; where there are few, it is not there. */
export function contents(blocks) {
  const listed = blocks.filter(({ role }) => LISTED.includes(role)).map(({ id, role, markdown }) => [id, role, heading(markdown)]);
  const now = JSON.stringify(listed);
  if (now === shown) return;
  shown = now;
  holder.hidden = listed.length < FEWEST;
  list.replaceChildren(...listed.map(([id, role, words]) => make("li", { class: role, "data-of": id }, make("a", { href: `#block-${id}` }, words))));
}

/** Mark the step that plays. */
export function playing(id) {
  for (const each of list.children) each.toggleAttribute("data-playing", each.dataset.of === id);
}

const heading = (markdown) => markdown.split("\n", 1)[0].replace(/^ {0,3}#+\s*/, "").replace(/[*_`~]{1,2}(?=\S)|(?<=\S)[*_`~]{1,2}(?!\w)/g, "").replace(/\\([!-/:-@[-`{-~])/g, "$1");
