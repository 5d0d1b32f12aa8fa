// The editor: the recording and the instruction side by side.
import { make } from "../parts/elements.js";
import { clock } from "../parts/moments.js";
import { tell, tellError } from "../parts/messages.js";
import { shortcut } from "../parts/shortcuts.js";
import { say } from "../parts/strings.js";
import * as edit from "./blocks.js";
import { contents, playing } from "./contents.js";
import { WorkingCopy } from "./saving/working_copy.js";
import { Keeping } from "./saving/keeping.js";
import { nameVersion } from "./saving/naming.js";
import { draggable } from "./dragging.js";
import { Everywhere, selected } from "./everywhere.js";
import { adopt, draw, elementOf, inform, issue, labelOf, looks, markPlaying, part, pictures } from "./list.js";
import { blockMenu, openMenu } from "./menu.js";
import { Moments } from "./shots/moments.js";
import { notice, withdraw } from "./notices.js";
import { BlockPictures, pictureIn } from "./shots/pictures.js";
import { player } from "../parts/player.js";
import { Regenerating } from "./regenerating.js";
import { named, watchVersions } from "./saving/watching.js";

const read = (id) => JSON.parse(document.getElementById(id).textContent);
const find = (name) => document.querySelector(`[data-${name}]`);
const context = read("context");
const [undoing, redoing, savers] = ["undo", "redo", "save"].map((name) => document.querySelectorAll(`[data-do=${name}]`));
const [nothing, standing] = ["nothing", "standing"].map(find); // looked for once: what is shown anew at every key is long

const copy = new WorkingCopy(read("state"), show);
const watch = player();
const shots = new BlockPictures(copy, { save, video: watch.video, fixed: context.is_translation });
const regenerating = new Regenerating(copy, save, context.has_model);
const keeping = new Keeping(copy, context, { told: stand, look: () => watcher.look(), paused });
const everywhere = new Everywhere(copy, { project: context.is_own ? context.project_id : null, save, merge: () => mergeWithNewest(false) });
const moments = new Moments(copy, shots, watch.video && !context.is_translation);
let saving = null;
let writer = null; // its module, once it is there: then a text opens at once, and no key comes in between
let writing = null; // {id, writer, before}: the block that is open, and what it said
let current = null; // the block that keys act on
let left = null; // the block whose text was just left: letters typed on are no commands to it
let { facts } = copy; // what is shown of them: the server has drawn what the page came with
let newest = null; // a version of others that is told of
let listed = false; // whether the contents are there: the text comes first

adopt(copy.blocks, copy.facts);
shots.equip();
show();

// --- what shows

function show() {
  const isNew = draw(copy.blocks, copy.facts, new Map(copy.base.blocks.map((each) => [each.id, each])));
  const isKnown = facts === copy.facts;
  if (!isKnown) ({ facts } = copy), ground();
  if (listed) contents(copy.blocks);
  moments.show();
  if (isNew || !isKnown) shots.equip(); // blocks that come back bring their pictures
  if (writing && copy.text(writing.id) === undefined) closed();
  writing?.writer?.put(copy.text(writing.id));
  for (const button of undoing) button.disabled = !copy.history.canUndo;
  for (const button of redoing) button.disabled = !copy.history.canRedo;
  nothing.hidden = copy.blocks.length > 0;
  stand();
  if (newest) known(newest);
  keeping.changed();
}

/** A warning, and buttons that lead to the moments that it asks to look at. */
function warning({ message, at_ms: moments }) {
  const title = say("warning-seek");
  const buttons = moments.flatMap((at) => [
    " ",
    make("button", { class: "time", type: "button", "data-seek": at, title }, clock(at)),
  ]);
  return make("li", {}, message, ...buttons);
}

/** What changes with the version only. */
function ground() {
  inform(copy.blocks, facts);
  const { base } = copy;
  find("title").textContent = base.title;
  document.title = document.title.replace(/^.*(?= · guidesmith$)/s, () => base.title);
  find("version").textContent = say("version-number", { number: base.version });
  find("version-name").textContent = base.name ?? "";
  find("whole-issues").replaceChildren(...base.issues.map(issue));
  find("warnings").hidden = base.warnings.length === 0;
  find("warnings").querySelector("ul").replaceChildren(...base.warnings.map(warning));
  find("model").textContent = base.model ?? say("provenance-by-hand");
  find("origin").textContent = say("provenance-origin", { origin: base.origin, author: named(base.author) });
  find("unplaced").hidden = base.unplaced.length === 0;
  pictures(find("unplaced").querySelector(".shots"), base.unplaced);
  known(base);
}

function stand() {
  const words = saving ? "saving" : !copy.dirty ? "saved" : newest ? "conflict" : keeping.status;
  const said = say(`standing-${words}`, { number: newest?.version ?? 0 });
  if (standing.textContent !== said) standing.textContent = said;
  standing.title = words === "kept" ? say("standing-kept-what") : "";
  standing.dataset.standing = words;
  for (const button of savers) button.disabled = saving !== null || !copy.dirty;
}

// --- saving

/** Save `blocks`, everything by default; whether it is saved. One at a time. `asks`: somebody is there to be asked. */
async function save(blocks, { asks = true } = {}) {
  while (saving) await saving;
  if (blocks === undefined && !copy.dirty) return true;
  saving = saved(blocks, asks);
  stand();
  try {
    return await saving;
  } finally {
    saving = null;
    stand();
  }
}

async function saved(blocks, asks = true) {
  try {
    await keeping.settled(); // what is on its way is saved, too
    await copy.save(blocks);
    watcher.tell(copy.base.version, copy.base.author);
    return true;
  } catch (error) {
    if (!asks) {
      watcher.look(); // what is the matter stands in the bar
      keeping.pauseLater();
      return false;
    }
    if (error.code !== "VERSION_CONFLICT") {
      tellError(error);
      return false;
    }
  }
  return (await mergeWithNewest(true)) && (copy.dirty ? saved() : true);
}

/** Put what was changed here together with the newest version; whether that came to an end. */
async function mergeWithNewest(saves) {
  try {
    const state = await copy.read();
    if (!copy.dirty || edit.same(state.blocks, copy.blocks)) {
      copy.adopt(state);
      return true;
    }
    const { settleConflict } = await import("./saving/conflict.js");
    const blocks = await settleConflict({ base: copy.base.blocks, mine: copy.blocks, theirs: state.blocks, number: state.version, saves });
    if (blocks) copy.settle(state, blocks);
    else (newest = null), setTimeout(() => known(state)); // told again, once nothing is being saved
    return blocks !== null;
  } catch (error) {
    tellError(error);
    return false;
  }
}

// --- versions of others

const watcher = watchVersions({ instruction: copy.instruction, job: copy.job, from: context.heard }, known);

/** A version exists: where it is newer than the one that is worked on, it is told. */
function known(told) {
  const { version, author } = told;
  if (version <= copy.base.version) {
    newest = null;
    return withdraw("version");
  }
  if (saving || regenerating.busy) return undefined;
  if (newest?.version === version && newest.dirty === copy.dirty) return undefined; // it stands there
  newest = { version, author, dirty: copy.dirty };
  stand();
  const text = say("version-exists", { number: version, author: named(author), mine: author === context.owner ? "yes" : "no" });
  return notice("version", text, [{ words: say(copy.dirty ? "version-merge" : "version-load"), doing: () => mergeWithNewest(false) }]);
}

// --- until it is a version

/** Nobody has written for a while: what was written is a version, unless somebody has to decide about it. */
async function paused() {
  const isOpen = writing && copy.text(writing.id)?.trim() === "";
  if (newest || saving || regenerating.busy || isOpen || document.querySelector("dialog[open]")) return keeping.pauseLater();
  await save(undefined, { asks: false });
}

addEventListener("pageshow", ({ persisted }) => persisted && mergeWithNewest(false));

// --- writing

/** Open a block's text. @param {{atStart?: boolean, point?: {left: number, top: number}}} where the cursor goes */
async function write(id, where = {}) {
  if (writing?.id === id) return writing.writer?.focus();
  leave();
  const mine = (writing = { id, writer: null, before: copy.text(id) ?? "" });
  writer ??= await import("./writer.js").catch((error) => {
    if (writing === mine) writing = null; // the next click tries again
    throw error;
  });
  if (writing !== mine || copy.text(id) === undefined) return undefined;
  const holder = part(id, "writer");
  elementOf(id).classList.add("open");
  holder.hidden = false;
  mine.writer = writer.openWriter(holder, {
    text: copy.text(id),
    label: say("block-text", { label: labelOf(id) }),
    language: part(id, "prose").lang,
    ...where,
    changed: (text) => copy.change(edit.rewritten(copy.blocks, id, text), `text of ${id}`),
    split: (...texts) => splitInto(id, texts),
    leave: () => leave({ focus: true }),
    undo: deeds.undo,
    redo: deeds.redo,
    picture: () => shots.choose(id),
    looks: (isRich) => elementOf(id)?.classList.toggle("rich", isRich),
  });
  holder.append(tools(id, mine));
  elementOf(id).scrollIntoView({ block: "nearest" });
  return undefined;
}

function tools(id, mine) {
  const row = document.createElement("div");
  row.className = "row";
  const button = (name, doing, kind = "") => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = `button small ${kind}`;
    made.textContent = say(name);
    made.addEventListener("click", doing);
    row.append(made);
  };
  button("block-done", () => leave({ focus: true }), "primary");
  button("block-split", () => mine.writer.divide());
  return row;
}

/** Close the block that is open. One without a word goes. */
function leave({ focus = false } = {}) {
  if (!writing) return;
  const { id, before } = writing;
  closed();
  const isEmpty = copy.text(id)?.trim() === "";
  everywhere.offer(id, before, copy.text(id) ?? before);
  const place = edit.placeOf(copy.blocks, id);
  if (isEmpty) copy.change(edit.without(copy.blocks, id));
  else show(); // what was written in place
  left = focus && !isEmpty ? id : null;
  if (focus) focusBlock(isEmpty ? copy.blocks[Math.max(0, place - 1)]?.id : id);
}

function closed() {
  const { id, writer } = writing;
  writing = null;
  const look = writer?.close();
  const holder = part(id, "writer");
  if (!holder) return;
  if (look) looks(id, look);
  holder.replaceChildren();
  holder.hidden = true;
  elementOf(id).classList.remove("open");
}

function splitInto(id, texts) {
  const second = edit.fresh();
  const known = edit.knownOf(id, copy.blocks, copy.facts);
  const at = edit.begins(known?.cited ?? [], texts);
  moments.offer(second.id);
  copy.change(edit.split(copy.blocks, id, texts, second, at === known?.start_ms ? null : at));
  write(second.id, { atStart: true });
}

// --- blocks

function focusBlock(id) {
  elementOf(id)?.focus();
}

function insert(id, offset, role = "text") {
  const block = edit.fresh(role);
  moments.offer(block.id);
  const place = id === null ? copy.blocks.length : edit.placeOf(copy.blocks, id) + offset;
  copy.change(edit.inserted(copy.blocks, place, block));
  write(block.id);
}

function become(id, role) {
  if (role === "step") moments.offer(id);
  copy.change(edit.made(copy.blocks, id, role));
}

function move(id, by) {
  const place = edit.placeOf(copy.blocks, id) + by;
  if (place < 0 || place >= copy.blocks.length) return;
  copy.change(edit.moved(copy.blocks, id, place));
  elementOf(id).scrollIntoView({ block: "nearest" });
  find("announced").textContent = say("moved", { label: labelOf(id), place: place + 1, count: copy.blocks.length });
}

function mergeNext(id) {
  const next = copy.blocks[edit.placeOf(copy.blocks, id) + 1];
  if (!next) return;
  copy.change(edit.merged(copy.blocks, id));
  focusBlock(id);
}

function drop(id) {
  const before = copy.blocks;
  const place = edit.placeOf(before, id);
  copy.change(edit.without(before, id));
  const [gone, after] = [before[place], copy.blocks];
  focusBlock((after[place] ?? after.at(-1))?.id);
  tell(say("deleted"), "plain", {
    words: say("deleted-undo"),
    doing() {
      if (copy.blocks === after) deeds.undo();
      else if (copy.text(id) === undefined) copy.change(edit.inserted(copy.blocks, Math.min(place, copy.blocks.length), gone));
      focusBlock(id);
    },
  });
}

function step(by) {
  const place = current === null ? -1 : edit.placeOf(copy.blocks, current);
  const next = copy.blocks[place < 0 ? 0 : place + by];
  if (next) focusBlock(next.id);
}

const roleOf = (id) => copy.blocks.find((each) => each.id === id)?.role;

/** What would do nothing to this block. */
const idle = (id) => [
  ...(id === copy.blocks[0].id ? ["up"] : []),
  ...(id === copy.blocks.at(-1).id ? ["down", "merge"] : []),
  ...(watch.video && !context.is_translation ? [] : ["moment"]),
  ...(context.is_translation ? ["regenerate", "picture"] : []), // it is made from its original, whose pictures it shows
];

const deeds = {
  write: (id) => write(id),
  regenerate: (id) => (leave(), regenerating.ask(id)),
  picture: (id) => shots.choose(id),
  up: (id) => move(id, -1),
  down: (id) => move(id, 1),
  above: (id) => insert(id, 0),
  below: (id) => insert(id, 1),
  merge: mergeNext,
  delete: drop,
  ...Object.fromEntries(["step", "note", "warning", "section", "text"].map((role) => [role, (id) => become(id, role)])),
  menu: (id, button) => openMenu(button, roleOf(id), idle(id)),
  append: () => insert(null),
  "append-step": () => insert(null, 0, "step"),
  "step-below": (id) => insert(id, 1, "step"),
  moment(id) {
    const at = Math.round(watch.video.currentTime * 1000);
    copy.change(edit.timed(copy.blocks, id, at));
    tell(say("moment-told", { at: clock(at) }), "plain", { words: say("moment-picture"), doing: () => shots.take(id, at) });
  },
  undo: () => void copy.undo().catch(tellError),
  redo: () => void copy.redo().catch(tellError),
  save: () => save(),
  name: () => nameVersion(copy, save).then((name) => name && ((copy.base.name = name), (find("version-name").textContent = name))).catch(tellError),
};

blockMenu((name, id) => deeds[name](id));
draggable((id, before) => copy.change(edit.moved(copy.blocks, id, placeBefore(id, before))));

function placeBefore(id, before) {
  const rest = edit.without(copy.blocks, id);
  return before === null ? rest.length : edit.placeOf(rest, before);
}

const text = document.querySelector("section.write");

/** Where a click fell, in pixels from the corner of `element`; `undefined` for one by key. */
function within(element, { clientX, clientY, detail }) {
  const { left, top } = element.getBoundingClientRect();
  return detail ? { left: clientX - left, top: clientY - top } : undefined;
}

text.addEventListener("click", (event) => {
  const { target } = event;
  left = null;
  const button = target.closest("[data-do]");
  const block = target.closest("[data-block]");
  if (button) return deeds[button.dataset.do](block?.dataset.block, button);
  const large = target.closest("[data-enlarge]");
  if (large) return shots.enlarge(large.closest(".shot").dataset.anchor);
  const seek = target.closest("[data-seek]");
  if (seek?.dataset.seek) return watch.seek(Number(seek.dataset.seek), { play: true });
  const isRead = target.closest("a") || String(getSelection()) !== "";
  const prose = target.closest("[data-prose]");
  if (prose && !isRead) write(block.dataset.block, { point: within(prose, event) });
  return undefined;
});

/** A picture that is pasted or dropped shows at the block. */
function brought(event) {
  const block = event.target.closest("[data-block]");
  const file = block && pictureIn(event.clipboardData ?? event.dataTransfer);
  if (!file) return;
  event.preventDefault();
  event.stopPropagation();
  void shots.bring(block.dataset.block, file);
}
for (const name of ["paste", "drop"]) text.addEventListener(name, brought, true);
text.addEventListener("dragover", (event) => event.target.closest("[data-block]") && event.dataTransfer.types.includes("Files") && event.preventDefault());

find("warnings").addEventListener("click", ({ target }) => {
  const seek = target.closest("[data-seek]");
  if (seek) watch.seek(Number(seek.dataset.seek), { play: true });
});

text.addEventListener("focusin", ({ target }) => {
  current = target.closest("[data-block]")?.dataset.block ?? current;
  if (current !== left) left = null;
});

find("everywhere").addEventListener("click", () => {
  const words = selected();
  leave();
  void everywhere.ask(words);
});

find("redact").addEventListener("click", async () => {
  try {
    const { redact } = await import("./redacting.js");
    const blockOf = (anchorId) => copy.blocks.find(({ id }) => copy.facts.get(id)?.anchors.some((each) => each.id === anchorId))?.id;
    if (!(await redact(copy.instruction, (anchorId) => labelOf(blockOf(anchorId))))) return;
    await copy.refresh({ mine: true });
    await (await import("../sharing/behind.js")).offerLinks(copy.instruction);
  } catch (error) {
    tellError(error);
  }
});

watch.follow((ms) => playing(markPlaying(ms, copy.blocks, copy.facts)));

// --- keys

/** An action on the block that has the focus, or had it last; by a letter only where the block was chosen since its text
 * was left. */
function ofBlock(keys, does, action) {
  shortcut(keys, say(`shortcut-${does}`), ({ target }) => {
    if (writing && !writing.writer) return true; // its text opens: what is typed is meant for that
    if (keys.length === 1 && left !== null && left === current) return (find("announced").textContent = say("left-first")), true;
    const isAt = target === document.body || (keys === "Enter" ? target === elementOf(current) : target.closest?.("[data-block]"));
    if (!isAt || current === null || copy.text(current) === undefined) return false;
    if (context.is_translation && (does === "regenerate" || does === "picture")) return false;
    return action(current);
  });
}

for (const [key, by] of [["ArrowUp", -1], ["ArrowDown", 1]]) {
  shortcut(key, say("shortcut-blocks"), ({ target }) => (target.closest?.("[data-block]") || target === document.body ? step(by) : false));
  ofBlock(`alt+${key}`, "move", (id) => move(id, by));
}
ofBlock("Enter", "write", (id) => void write(id));
shortcut("Escape", say("shortcut-leave"), () => (left = null) ?? false); // the text itself hears the first
ofBlock("t", "seek", (id) => watch.seek(copy.facts.get(id)?.start_ms ?? 0, { play: true }));
for (const [key, does] of [["r", "regenerate"], ["p", "picture"], ["a", "above"], ["b", "below"], ["m", "merge"], ["x", "delete"]]) ofBlock(key, does, (id) => void deeds[does](id));
shortcut("mod+Enter", say("shortcut-split"), () => false); // the text itself hears it
shortcut("mod+s", say("shortcut-save"), () => void save());
const isElsewhere = ({ target }) => target.closest?.("textarea, input") !== null && !target.closest?.(".cm-editor");
shortcut("mod+z", say("shortcut-undo"), (event) => (isElsewhere(event) ? false : deeds.undo()));
for (const keys of ["mod+shift+z", "mod+y"]) shortcut(keys, say("shortcut-redo"), (event) => (isElsewhere(event) ? false : deeds.redo()));

if (context.has_glossary) void everywhere.known().catch(tellError);
keeping.begin().finally(() => context.rewriting && regenerating.resume(context.rewriting));
// so that the first block opens at once, and all of it when the server cannot be reached: what is needed first comes alone
const later = globalThis.requestIdleCallback ?? setTimeout;
const bring = (name) => new Promise((resolve) => later(() => resolve(name()))).catch(() => {});
void bring(() => import("./writer.js"))
  .then(() => bring(() => ((listed = true), contents(copy.blocks))))
  .then(() => bring(() => import("./saving/conflict.js")));
