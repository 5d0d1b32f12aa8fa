// What the document is made of: its sections and steps, each a link to its block.
import { make } from "../parts/elements.js";

const FEWEST = 3; // shorter ones are seen at a glance
const LISTED = ["section", "step"];
const holder = document.querySelector("[data-contents]");
const list = holder.querySelector("ol");
const entries = new Map(); // by block: what stands in the list for it
let shown = [];

/** Let the list show what sections and steps are called; where there are few, it is not there. A key in a heading
 * changes one entry: three hundred are not made anew for it. */
export function contents(blocks) {
  const listed = blocks.filter(({ role }) => LISTED.includes(role)).map(entry);
  holder.hidden = listed.length < FEWEST;
  if (listed.length === shown.length && listed.every((each, place) => each === shown[place])) return;
  const wanted = new Set(listed);
  for (const each of shown) if (!wanted.has(each)) each.remove();
  let following = list.firstElementChild;
  for (const each of listed) {
    if (each === following) following = each.nextElementSibling;
    else list.insertBefore(each, following);
  }
  shown = listed;
}

function entry(block) {
  const { id, role, markdown } = block;
  const known = entries.get(id);
  if (known?.block === block) return known.item;
  const words = heading(markdown);
  let { item, link } = known ?? {};
  if (!item) {
    link = make("a", { href: `#block-${id}` });
    item = make("li", { "data-of": id }, link);
  }
  entries.set(id, { block, item, link });
  if (item.className !== role) item.className = role;
  if (link.textContent !== words) link.textContent = words;
  return item;
}

/** Mark the step that plays. */
export function playing(id) {
  for (const each of list.children) each.toggleAttribute("data-playing", each.dataset.of === id);
}

const heading = (markdown) => markdown.split("\n", 1)[0].replace(/^ {0,3}#+\s*/, "").replace(/[*_`~]{1,2}(?=\S)|(?<=\S)[*_`~]{1,2}(?!\w)/g, "").replace(/\\([!-/:-@[-`{-~])/g, "$1");
