// Who else has this guide open, and in which block they are: said by every open page once in a while, shown in the bar and
// beside the blocks. Names are only ever text.
import { notice, withdraw } from "../editor/notices.js";
import { once, put, remove } from "../parts/api.js";
import { make } from "../parts/elements.js";
import { whenBack } from "../parts/session.js";
import { say } from "../parts/strings.js";

const BEAT_MS = 10_000;
const SETTLED_MS = 700; // in a block, before it is said: who goes through them by keys is in none
const AWAY_MS = 120_000; // not looked at for so long, it is open to nobody
const SHOWN = 4;
const HUES = 6;
const lang = document.documentElement.lang;

/** This page's own id: by it the server leaves it out of what it tells here. */
export const desk = once();

const [bar, blocks] = ["present", "blocks"].map((name) => document.querySelector(`[data-${name}]`));
let path = null;
let people = [];
let last = null; // the block that was focused last
let sent = null; // what was said last
let missed = 0;
let beating, moving, leaving;

/** Say that the guide is open here, from now on. */
export function attend(instruction) {
  path = `instructions/${instruction}/presences/${desk}`;
  blocks.addEventListener("focusin", moved);
  new MutationObserver(marks).observe(blocks, { childList: true });
  new MutationObserver(changed).observe(blocks, { subtree: true, attributeFilter: ["class"] }); // one is opened, or closed
  document.addEventListener("visibilitychange", looked);
  addEventListener("pagehide", () => leave({ keepalive: true }));
  addEventListener("pageshow", ({ persisted }) => persisted && beat());
  beat();
}

/** Who else has it open now, as the server tells. */
export function present(told) {
  people = told;
  show();
}

// --- said

const open = () => blocks.querySelector(".block.open")?.dataset.block ?? null;

function place() {
  const written = open();
  return { block_id: written ?? last, writes: written !== null };
}

async function beat() {
  clearTimeout(beating);
  clearTimeout(moving);
  beating = setTimeout(beat, BEAT_MS);
  const now = (sent = place());
  try {
    const { people: told } = await put(path, now);
    missed = 0;
    if (sent !== null) present(told);
  } catch ({ status }) {
    if (status === 401) clearTimeout(beating), whenBack(beat);
    else if (status === 403 || status === 404) clearTimeout(beating);
    if (status !== 429 && (missed += 1) > 1) present([]); // nobody knows any more
  }
}

function leave(options) {
  clearTimeout(beating);
  clearTimeout(moving);
  if (sent === null) return;
  sent = null;
  remove(path, options).catch(() => {}); // it is forgotten anyway
}

function moved({ target }) {
  last = target.closest("[data-block]")?.dataset.block ?? last;
  changed();
}

function changed() {
  const now = place();
  if (sent !== null && (now.block_id !== sent.block_id || now.writes !== sent.writes)) {
    clearTimeout(moving);
    moving = setTimeout(beat, SETTLED_MS);
  }
  warn();
}

function looked() {
  clearTimeout(leaving);
  if (document.visibilityState === "hidden") leaving = setTimeout(leave, AWAY_MS);
  else beat();
}

// --- shown

function show() {
  avatars();
  marks();
  warn();
}

const shownName = ({ name, is_you: isYou }) => (isYou ? say("present-you") : name);

/** A colour for a name: the same on every page. */
const hueOf = (name) => [...name].reduce((sum, each) => (sum * 31 + each.codePointAt(0)) % 9973, 7) % HUES;

function initials(name) {
  const words = name.split("@")[0].match(/[\p{L}\p{N}\p{M}]+/gu) ?? [name];
  const letters = words.map((each) => [...each]);
  const two = words.length > 1 ? letters[0][0] + letters.at(-1)[0] : letters[0].slice(0, 2).join("");
  return two.toLocaleUpperCase(lang);
}

const labelOf = (id) => (id === null ? "" : (document.getElementById(`label-${id}`)?.textContent ?? ""));

/** Where somebody is: where they write, else the block that they are in. */
const foremost = ({ places }) => places.find(({ writes }) => writes) ?? places[0];

function whereabouts(person) {
  const { block_id: id, writes } = foremost(person);
  const [name, label] = [shownName(person), labelOf(id)];
  return label ? say(writes ? "present-writing-in" : "present-in", { name, label }) : say("present-here", { name });
}

let drawn = "";

/** Those that show already stay: a press that began on one ends on it, though more was heard in between. */
function avatars() {
  const told = JSON.stringify([people.map((each) => [each.name, each.is_you, foremost(each), whereabouts(each)])]);
  if (told === drawn) return;
  drawn = told;
  const had = document.activeElement?.closest?.("[data-person]")?.dataset.person;
  const shown = people.slice(0, people.length > SHOWN ? SHOWN - 1 : SHOWN);
  const more = people.slice(shown.length);
  bar.replaceChildren(
    ...shown.map(avatar),
    ...(more.length ? [make("li", {}, make("span", { class: "person", title: names(more) }, make("span", { "aria-hidden": "true" }, `+${more.length}`), make("span", { class: "unseen" }, names(more))))] : []),
  );
  bar.hidden = people.length === 0;
  if (had !== undefined) bar.querySelector(`[data-person="${had}"]`)?.focus();
}

function avatar(person, number) {
  const words = whereabouts(person);
  const { block_id: id, writes } = foremost(person);
  const facts = { class: `person${writes ? " writes" : ""}`, "data-hue": hueOf(person.name), "data-person": number, title: words };
  const inside = [make("span", { "aria-hidden": "true" }, initials(person.name)), make("span", { class: "unseen" }, words)];
  if (!labelOf(id)) return make("li", {}, make("span", facts, ...inside));
  const go = () => document.getElementById(`block-${id}`)?.focus();
  return make("li", {}, make("button", { type: "button", ...facts, onclick: go }, ...inside));
}

const names = (some) => new Intl.ListFormat(lang).format(some.map(shownName));

/** Beside each block who is in it. */
function marks() {
  const at = new Map();
  for (const person of people) {
    for (const { block_id: id, writes } of person.places) if (id !== null) at.set(id, [...(at.get(id) ?? []), { person, writes }]);
  }
  for (const block of blocks.querySelectorAll(":scope > [data-block]")) mark(block, at.get(block.dataset.block) ?? []);
}

function mark(block, some) {
  const there = block.querySelector(".in-block");
  if (!some.length) return there?.remove();
  const told = some.map(({ person, writes }) => `${person.name}\n${writes}`).join("\n\n");
  if (there?.dataset.told === told) return undefined;
  const made = make("span", { class: "in-block", "data-told": told }, ...some.map(inBlock));
  if (there) there.replaceWith(made);
  else block.querySelector("[data-label]").after(made);
  return undefined;
}

function inBlock({ person, writes }) {
  const name = shownName(person);
  const words = say(writes ? "present-writes" : "present-is-here", { name });
  const sign = make("span", { class: "person", "data-hue": hueOf(person.name), "aria-hidden": "true" }, initials(person.name));
  return make("span", { class: "one", title: words }, sign, make("span", { class: writes ? "" : "unseen" }, words));
}

let warned = "";

/** That another writes where one writes is said before either saves. */
function warn() {
  const id = open();
  const others = id === null ? [] : people.filter(({ places }) => places.some((each) => each.writes && each.block_id === id));
  const told = others.length ? say("present-same-block", { names: names(others), count: others.length }) : "";
  if (told === warned) return;
  warned = told;
  if (told) notice("present", told);
  else withdraw("present");
}
