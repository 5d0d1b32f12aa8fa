// The document as its blocks, and what is done to them. Pure: every function answers a new list.

import { once } from "../parts/api.js";

/**
 * @typedef {{id: string, markdown: string, gap: string, role: string, cutFrom?: string, absorbs?: string[], at?: number}} Block
 * `gap`: the blank space behind it, as it is stored; `cutFrom`: the block whose time and words a new one shares;
 * `absorbs`: those that were merged into it; `at`: the moment that somebody picked for it, in milliseconds of the
 * recording
 */

const BETWEEN = "\n\n";

/** The Markdown as it is saved. */
export function render(blocks) {
  const last = blocks.length - 1;
  return blocks
    .map(({ id, markdown, gap }, place) => `<!-- block:${id} -->\n${markdown}${place === last ? "\n" : gap.split("\n").length > 2 ? gap : BETWEEN}`)
    .join("");
}

const MARKER = /^<!-- block:([0-9a-f-]{36}) -->\n/gm;

/** What `render` wrote, as blocks again, with what was said of them: the rest is as in `base`. */
export function read(markdown, marks, base) {
  const said = new Map(marks.map((each) => [each.block_id, each]));
  const before = new Map(base.map((each) => [each.id, each]));
  const found = [...markdown.matchAll(MARKER)];
  return found.map(({ 0: { length }, 1: id, index }, place) => {
    const raw = markdown.slice(index + length, found[place + 1]?.index);
    const text = raw.trimEnd();
    const { role, cut_from: cutFrom, absorbs, start_ms: at } = said.get(id) ?? {};
    const known = { role: role ?? before.get(id)?.role ?? "text", ...(cutFrom && { cutFrom }), ...(absorbs?.length && { absorbs }), ...(Number.isInteger(at) && { at }) };
    return { id, markdown: text, gap: raw.slice(text.length) || BETWEEN, ...known };
  });
}

/** Whether two lists say the same in the same order. */
export function same(one, other) {
  return one === other || (one.length === other.length && one.every(({ id, markdown, role, at }, place) => id === other[place].id && markdown === other[place].markdown && role === other[place].role && at === other[place].at));
}

export const placeOf = (blocks, id) => blocks.findIndex((each) => each.id === id);

export const fresh = (role = "text") => ({ id: once(), markdown: "", gap: BETWEEN, role });

/** `blocks` of a draft that does not say what they are: what they are in `base`. */
export function known(blocks, base) {
  const roles = new Map(base.map(({ id, role }) => [id, role]));
  return blocks.map((each) => ({ ...each, role: each.role ?? roles.get(each.id) ?? "text" }));
}

/** With the moment that one block tells, in whole milliseconds. */
export const timed = (blocks, id, at) => blocks.map((each) => (each.id === id ? { ...each, at: Math.round(at) } : each));

/** As another kind of block. */
export const made = (blocks, id, role) => blocks.map((each) => (each.id === id ? { ...each, role } : each));

/** What is said of `blocks` beside their text, where the version `base` does not say so. */
export function said(blocks, base) {
  const known = new Map(base.map((each) => [each.id, each]));
  const here = new Set(blocks.map((each) => each.id));
  return blocks.flatMap(({ id, role, cutFrom, absorbs = [], at }) => {
    const before = known.get(id);
    const gone = absorbs.filter((each) => known.has(each) && !here.has(each));
    const isNothingNew = before ? before.role === role : role === "text" && !cutFrom;
    if (isNothingNew && at === undefined && !gone.length) return [];
    const given = GIVEN.has(role) ? { role } : {};
    const origin = before || !cutFrom ? {} : { cut_from: cutFrom };
    return [{ block_id: id, ...given, ...origin, ...(gone.length && { absorbs: gone }), ...(at === undefined ? {} : { start_ms: at }) }];
  });
}

const GIVEN = new Set(["section", "step", "note", "warning", "text"]);

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

/** With one block cut into two texts; the second is `second`'s, and is told at `at`, where that is known. */
export function split(blocks, id, [one, other], second, at = null) {
  const place = placeOf(blocks, id);
  const first = { ...blocks[place], markdown: one.trimEnd() };
  const origin = { cutFrom: id, role: GIVEN.has(first.role) ? first.role : "text", ...(at === null ? {} : { at }) };
  return blocks.toSpliced(place, 1, first, { ...second, ...origin, markdown: other.replace(/^\s*\n|^\s+/, "").trimEnd() });
}

const wordsOf = (text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []);

/** When the second part of a text that was cut begins, in milliseconds: with the first of the sentences that the whole was
 * written from (`cited`) that says more of it than of the first part. `null`: with none that is known. */
export function begins(cited, [one, other]) {
  const [before, after] = [wordsOf(one), wordsOf(other)];
  const its = cited.filter(({ text }) => {
    const said = [...wordsOf(text)];
    const shared = said.filter((word) => after.has(word)).length;
    return shared > 1 && shared > said.filter((word) => before.has(word)).length;
  });
  return its.length ? Math.min(...its.map(({ start_ms: start }) => start)) : null;
}

/** What is known of a block; of one that was cut from another, until more is, what is known of that. */
export function knownOf(id, blocks, facts) {
  const from = facts.has(id) ? null : blocks.find((each) => each.id === id)?.cutFrom;
  if (!from || from === id) return facts.get(id);
  const known = knownOf(from, blocks, facts);
  return known && { ...known, anchors: [], issues: [] };
}

/** With one block and the next as one. A heading of level 1 or 2 begins a block wherever it stands, so it sinks. */
export function merged(blocks, id) {
  const place = placeOf(blocks, id);
  const next = blocks[place + 1];
  if (!next) return blocks;
  const sunk = next.markdown.replace(/^ {0,3}#{1,2}(?=[ \t])/, "###").replace(/^(\S[^\n]*)\n {0,3}(?:=+|-+)[ \t]*(?=\n|$)/, "### $1");
  const text = [blocks[place].markdown, sunk].filter((each) => each.trim()).join(BETWEEN);
  const absorbs = [...(blocks[place].absorbs ?? []), next.id, ...(next.absorbs ?? [])];
  return blocks.toSpliced(place, 2, { ...blocks[place], markdown: text, gap: next.gap, absorbs });
}
