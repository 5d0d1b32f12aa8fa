// The blocks as they stand in the page: drawn by the server at first, kept in step with the document from then on.
import { clock } from "../parts/moments.js";
import { say } from "../parts/strings.js";
import { knownOf } from "./blocks.js";
import { leadOut, remember, show } from "./preview.js";

const list = document.querySelector("[data-blocks]");
const drawn = new Map(); // block id -> its element, and what that shows: Markdown, role, number, whether it was edited

export const elementOf = (id) => document.getElementById(`block-${id}`);
export const labelOf = (id) => elementOf(id)?.querySelector("[data-label]").textContent ?? "";
export const part = (id, name) => elementOf(id)?.querySelector(`[data-${name}]`);

/** Take over what the server has drawn: all that `draw` and `inform` would come to. There may be hundreds, so none is
 * looked into before it changes. */
export function adopt(blocks, facts) {
  let step = 0;
  for (const block of blocks) {
    const { id, markdown, role } = block;
    if (role === "step") step += 1;
    drawn.set(id, { block, element: elementOf(id), markdown, role, step, isSaved: true, isServed: true, told: facts.get(id) });
  }
  leadOut(list);
}

/** Before other words stand there: the server need not be asked again for those that it came with. */
function kept(shown) {
  if (shown.isServed) remember(shown.markdown, shown.element.querySelector("[data-prose]").innerHTML);
  shown.isServed = false;
}

/** Let a block show what it was written as, until the server has shown it. */
export function looks(id, look) {
  const shown = drawn.get(id);
  kept(shown);
  shown.element.querySelector("[data-prose]").replaceChildren(look);
}

/**
 * Let the page show `blocks`.
 * @param {Map<string, object>} facts what else is known of each: role, start_ms, cited, issues, anchors
 * @param {Map<string, object>} base the blocks as they are saved
 * @returns {boolean} whether a block is there that was not
 */
export function draw(blocks, facts, base) {
  const focused = document.activeElement;
  const wanted = new Set(blocks.map(({ id }) => id));
  for (const [id, shown] of drawn) {
    if (wanted.has(id)) continue;
    kept(shown);
    drawn.delete(id);
    shown.element.remove();
  }
  let following = list.firstElementChild;
  let step = 0;
  let isNew = false;
  for (const block of blocks) {
    const { id, markdown, role, absorbs, at } = block;
    if (role === "step") step += 1;
    const before = drawn.get(id);
    const element = before?.element ?? made(id, knownOf(id, blocks, facts));
    if (element === following) following = element.nextElementSibling;
    else list.insertBefore(element, following);
    const saved = base.get(id);
    const isSaved = saved === block || (saved?.markdown === markdown && saved.role === role && at === undefined);
    // what shows already is not touched: there may be thousands, at every key
    if (before?.block === block && before.step === step && before.isSaved === isSaved && before.markdown === markdown) continue;
    isNew ||= before === undefined;
    const known = facts.get(id);
    const now = { block, element, markdown, role, step, absorbs, at, isSaved, isServed: before?.isServed, told: before?.told };
    drawn.set(id, now);
    if (before?.role !== role || before.step !== step) label(element, role, step);
    if (before?.absorbs !== absorbs) {
      pictures(element.querySelector("[data-shots]"), shownAt(known, absorbs, facts));
      isNew = true; // they have no buttons yet
    }
    if (before?.at !== at) time(element.querySelector("[data-time]"), at ?? knownOf(id, blocks, facts)?.start_ms ?? null);
    if (before?.absorbs !== absorbs || before?.at !== at) now.told = undefined;
    if (before?.isSaved !== now.isSaved) element.querySelector("[data-changed]").hidden = now.isSaved;
    if (before?.markdown === markdown) continue;
    if (before) kept(before), (now.isServed = false);
    if (element.classList.contains("rich")) now.markdown = before?.markdown; // it shows where it is written
    else show(element.querySelector("[data-prose]"), markdown);
  }
  if (focused?.isConnected && document.activeElement !== focused) focused.focus({ preventScroll: true });
  return isNew;
}

/** Let the page show what has become known of blocks: their times, what was said, pictures, issues. Most say the same as
 * before a save. */
export function inform(blocks, facts) {
  for (const { id, absorbs, at } of blocks) {
    const [shown, known] = [drawn.get(id), facts.get(id)];
    if (!shown || !known || (shown.told && saysOf(shown.told) === saysOf(known))) continue;
    fill(shown.element, { ...known, start_ms: at ?? known.start_ms, anchors: shownAt(known, absorbs, facts) });
    shown.told = absorbs || at !== undefined ? undefined : known;
  }
}

const saysOf = ({ start_ms: start, cited, issues, anchors }) => JSON.stringify([start, cited, issues, anchors]);

/** The anchors of a block, and of those that were merged into it. */
function shownAt(known, absorbs = [], facts) {
  const all = [...(known?.anchors ?? []), ...absorbs.flatMap((each) => facts.get(each)?.anchors ?? [])];
  return [...new Map(all.map((each) => [each.id, each])).values()];
}

function made(id, known) {
  const element = document.getElementById("block-template").content.firstElementChild.cloneNode(true);
  element.id = `block-${id}`;
  element.dataset.block = id;
  element.setAttribute("aria-labelledby", `label-${id}`);
  element.querySelector("[data-label]").id = `label-${id}`;
  fill(element, known ?? { cited: [], anchors: [], issues: [], start_ms: null });
  return element;
}

function label(element, role, step) {
  element.dataset.role = role;
  const words = say("block-label", { kind: role, number: step });
  const shown = element.querySelector("[data-label]");
  if (shown.textContent !== words) shown.textContent = words;
}

function fill(element, { start_ms: start, cited, issues, anchors }) {
  time(element.querySelector("[data-time]"), start);
  element.querySelector("[data-issues]").replaceChildren(...issues.map(issue));
  pictures(element.querySelector("[data-shots]"), anchors);
  const said = element.querySelector("[data-said]");
  said.hidden = cited.length === 0;
  said.querySelector("[data-said-count]").textContent = say("said-here", { count: cited.length });
  said.querySelector("ol").replaceChildren(...cited.map(quotation));
  const link = said.querySelector("[data-transcript]");
  link.hash = cited.length ? `t=${cited[0].start_ms}` : "";
}

export function issue(message) {
  const line = document.createElement("p");
  line.className = "notice bad";
  line.textContent = message;
  return line;
}

function quotation({ start_ms: start, text }) {
  const item = document.getElementById("cited-template").content.firstElementChild.cloneNode(true);
  time(item.querySelector("button"), start);
  item.querySelector("[data-words]").textContent = text;
  return item;
}

function time(button, ms) {
  button.hidden = ms === null;
  button.dataset.seek = ms ?? "";
  button.textContent = ms === null ? "" : clock(ms);
}

/** Let `holder` show the active picture of each anchor; those that show already stay as they are. */
export function pictures(holder, anchors) {
  const there = new Map([...holder.children].map((each) => [`${each.dataset.asset} ${!outcomeIn(each).hidden}`, each]));
  const wanted = anchors.filter((each) => each.active_asset_id);
  holder.replaceChildren(...wanted.map((anchor) => there.get(`${anchor.active_asset_id} ${anchor.is_outcome}`) ?? figure(anchor)));
}

const outcomeIn = (figure) => figure.querySelector("[data-outcome]");

function figure(anchor) {
  const asset = anchor.assets.find(({ id }) => id === anchor.active_asset_id);
  const element = document.getElementById("shot-template").content.firstElementChild.cloneNode(true);
  element.dataset.anchor = anchor.id;
  element.dataset.asset = asset.id;
  const image = element.querySelector("img");
  image.width = asset.width;
  image.height = asset.height;
  image.alt = asset.timestamp_ms === null ? say("shot-alt-uploaded") : say("shot-alt", { at: clock(asset.timestamp_ms) });
  image.src = `/pictures/${asset.id}/thumbnail`;
  outcomeIn(element).hidden = !anchor.is_outcome;
  time(element.querySelector(".time"), asset.timestamp_ms);
  return element;
}

/** Mark the block that tells of a moment: the last that had begun by then. Its id, where there is one. */
export function markPlaying(ms, blocks, facts) {
  const begun = blocks.filter(({ id }) => (facts.get(id)?.start_ms ?? Infinity) <= ms);
  const playing = begun.reduce((last, each) => (last && facts.get(last.id).start_ms >= facts.get(each.id).start_ms ? last : each), null);
  for (const element of list.querySelectorAll("[data-playing]")) if (element.dataset.block !== playing?.id) mark(element, false);
  if (playing) mark(elementOf(playing.id), true);
  return playing?.id;
}

function mark(element, playing) {
  if (playing) element?.setAttribute("aria-current", "step");
  else element?.removeAttribute("aria-current");
  if (element) element.toggleAttribute("data-playing", playing);
}
