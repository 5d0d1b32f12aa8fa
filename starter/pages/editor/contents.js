// The sections of the document, each a link to its block.
import { make } from "../parts/elements.js";

const holder = document.querySelector("[data-contents]");
let shown = "";

/** Let the list show what the document's sections are called; where it has none, it is not there. */
export function contents(blocks) {
  const sections = blocks.filter(({ role }) => role === "section").map(({ id, markdown }) => [id, heading(markdown)]);
  const now = JSON.stringify(sections);
  if (now === shown) return;
  shown = now;
  holder.hidden = sections.length === 0;
  holder.querySelector("ol").replaceChildren(...sections.map(([id, words]) => make("li", {}, make("a", { href: `#block-${id}` }, words))));
}

const heading = (markdown) => markdown.split("\n", 1)[0].replace(/^ {0,3}#+\s*/, "").replace(/\\([!-/:-@[-`{-~])/g, "$1");
