// The document as its blocks, and what is done to them. Pure: every function answers a new list.

import { once } from "../parts/api.js";

/** @typedef {{id: string, markdown: string, gap: string}} Block `gap`: the blank space behind it, as it is stored */

const BETWEEN = "\n\n";

/** The Markdown as it is saved. */
export function render(blocks) {
  const last = blocks.length - 1;
  return blocks
    .map(({ id, markdown, gap }, place) => `<!-- block:${id} -->\n${markdown}${place === last ? "\n" : gap.split("\n").length > 2 ? gap : BETWEEN}`)
    .join("");
}

/** Whether two lists say the same in the same order. */
export function same(one, other) {
  return one === other || (one.length === other.length && one.every(({ id, markdown }, place) => id === other[place].id && markdown === other[place].markdown));
}

export const placeOf = (blocks, id) => blocks.findIndex((each) => each.id === id);

export const fresh = (markdown = "") => ({ id: once(), markdown, gap: BETWEEN });

/** Another text for one block. */
export const rewritten = (blocks, id, markdown) => blocks.map((each) => (each.id === id ? { ...each, markdown } : each));

export const without = (blocks, id) => blocks.filter((each) => each.id !== id);

/** With `block` at `place`. */
export const inserted = (blocks, place, block) => blocks.toSpliced(place, 0, block);

/** With one block at another place: the one that it has when it is there. */
export function moved(blocks, id, place) {
  const block = blocks.find((each) => each.id === id);
  return without(blocks, id).toSpliced(Math.max(0, place), 0, block);
}

/** With one block cut in two; the second is `second`. */
export function split(blocks, id, at, second) {
  const place = placeOf(blocks, id);
  const { markdown } = blocks[place];
  const first = { ...blocks[place], markdown: markdown.slice(0, at).trimEnd() };
  return blocks.toSpliced(place, 1, first, { ...second, markdown: markdown.slice(at).replace(/^\s*\n|^\s+/, "").trimEnd() });
}

/** With one block and the next as one. A heading of level 1 or 2 begins a block wherever it stands, so it sinks. */
export function merged(blocks, id) {
  const place = placeOf(blocks, id);
  const next = blocks[place + 1];
  if (!next) return blocks;
  const sunk = next.markdown.replace(/^ {0,3}#{1,2}(?=[ \t])/, "###").replace(/^(\S[^\n]*)\n {0,3}(?:=+|-+)[ \t]*(?=\n|$)/, "### $1");
  const text = [blocks[place].markdown, sunk].filter((each) => each.trim()).join(BETWEEN);
  return blocks.toSpliced(place, 2, { ...blocks[place], markdown: text, gap: next.gap });
}
