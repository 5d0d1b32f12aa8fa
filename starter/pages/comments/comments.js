// What is said about a guide's blocks: a count at each block, and a panel of threads. Text is only ever text.
import { get, once, post, put, remove } from "../parts/api.js";
import { make } from "../parts/elements.js";
import { tellError } from "../parts/messages.js";
import { localise } from "../parts/moments.js";
import { shortcut } from "../parts/shortcuts.js";
import { say } from "../parts/strings.js";

const context = JSON.parse(document.getElementById("comments").textContent);
const find = (name) => document.querySelector(`[data-${name}]`);
const [panel, list, opener, blocks] = ["comments", "threads", "open-comments", "blocks"].map(find);
const [form, showsResolved, nothing] = ["say", "resolved", "no-comments"].map(find);
const of = `instructions/${context.instruction_id}/comments`;

let threads = [];
let shownLast = null; // what was read last
let about = null; // the block that a thread is begun about
let back = null; // who had the focus before the panel came
let key = once();
let reading = Promise.resolve();
let isStale = false;

// --- read

/** Read all threads anew; what is asked for while that goes on is read once more after it. */
function refresh() {
  if (isStale) return reading;
  isStale = true;
  reading = reading.then(async () => {
    isStale = false;
    const found = [];
    let cursor = "";
    do {
      const page = await get(`${of}?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      found.push(...page.items);
      cursor = page.next_cursor ?? "";
    } while (cursor);
    const told = JSON.stringify(found);
    if (told === shownLast) return; // what is pressed or written there stays under the hand
    shownLast = told;
    threads = found;
    show();
  });
  return (reading = reading.catch(tellError));
}

const open = () => threads.filter((each) => each.resolved_at === null);

function show() {
  const typed = [...list.querySelectorAll("textarea")].map((each) => [each.dataset.of, each.value, each === document.activeElement]);
  const shown = showsResolved.checked ? threads : open();
  list.replaceChildren(...shown.map(threadShown));
  for (const [thread, value, had] of typed) {
    const field = list.querySelector(`textarea[data-of="${CSS.escape(thread)}"]`);
    if (field && !field.value) field.value = value;
    if (field && had) field.focus();
  }
  nothing.hidden = shown.length > 0;
  opener.querySelector("[data-count]").textContent = open().length || "";
  mark();
}

// --- at the blocks

const opens = make("button", { class: "button quiet small", type: "button", "data-comment": true, hidden: !context.may_comment }, say("comment-block"));
let counts = new Map(); // block id -> threads

/** Let each block have a button that says how many threads it has; of what is shown already, only what changed. */
function mark() {
  const before = counts;
  counts = new Map();
  for (const { block_id: id } of open()) counts.set(id, (counts.get(id) ?? 0) + 1);
  for (const id of new Set([...before.keys(), ...counts.keys()])) if (before.get(id) !== counts.get(id)) tally(id);
}

function equip(block) {
  const tools = block.querySelector("[data-block-tools]");
  if (!tools || tools.querySelector("[data-comment]")) return; // it has moved
  tools.prepend(opens.cloneNode(true));
  if (counts.has(block.dataset.block)) tally(block.dataset.block);
}

function tally(id) {
  const button = document.getElementById(`block-${id}`)?.querySelector("[data-comment]");
  if (!button) return;
  const count = counts.get(id) ?? 0;
  button.textContent = count ? say("comment-count", { count }) : say("comment-block");
  button.hidden = count === 0 && !context.may_comment;
  button.classList.toggle("has", count > 0);
}

blocks.addEventListener("click", (event) => {
  const button = event.target.closest("[data-comment]");
  if (!button) return;
  event.stopPropagation();
  openAt(button.closest("[data-block]").dataset.block);
});

function openAt(id) {
  openPanel();
  const first = list.querySelector(`[data-about-block="${CSS.escape(id)}"]`);
  first?.scrollIntoView({ block: "nearest" });
  if (form && context.may_comment) begin(id, !first);
  else first?.querySelector("button")?.focus();
}

/** Let a thread be begun about a block. */
function begin(id, focus = true) {
  about = id;
  form.hidden = false;
  const block = document.getElementById(`block-${id}`);
  find("about").textContent = say("comment-about", { label: block.querySelector("[data-label]").textContent });
  if (focus) form.elements.text.focus();
}

// --- the panel

function openPanel() {
  if (panel.hidden) back = document.activeElement;
  panel.hidden = false;
  opener.setAttribute("aria-expanded", "true");
}

function closePanel() {
  panel.hidden = true;
  opener.setAttribute("aria-expanded", "false");
  (back?.isConnected ? back : opener).focus();
}

opener.addEventListener("click", () => {
  if (!panel.hidden) return closePanel();
  openPanel();
  return document.getElementById("comments-heading").focus();
});
find("close-comments").addEventListener("click", closePanel);
panel.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  event.stopPropagation();
  closePanel();
});
showsResolved.addEventListener("change", show);

/** Do `doing`, read anew, and say `told`. */
async function act(doing, told) {
  try {
    await doing();
    shownLast = null; // what was open for it closes
    await refresh();
    find("comments-told").textContent = say(told);
    return true;
  } catch (error) {
    tellError(error);
    return false;
  }
}

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const field = form.elements.text;
  if (await act(() => post(of, { block_id: about, text: field.value }, { key }), "comment-said")) {
    field.value = "";
    form.hidden = true;
    list.querySelector("button")?.focus();
  }
  key = once();
});
form?.querySelector("[data-say-not]").addEventListener("click", () => {
  form.hidden = true;
  form.elements.text.value = "";
  document.getElementById(`block-${about}`)?.focus();
});

const called = form?.querySelector("[data-people]");
for (const [subject, name] of called ? Object.entries(context.people) : []) {
  if (subject === context.subject) continue;
  const write = () => {
    const field = form.elements.text;
    field.setRangeText(`@${name} `, field.selectionStart, field.selectionEnd, "end");
    field.focus();
  };
  called.append(make("button", { class: "button quiet small", type: "button", onclick: write }, `@${name}`));
}

// --- threads

function threadShown(thread) {
  const isSettled = thread.resolved_at !== null;
  const block = thread.is_there && document.getElementById(`block-${thread.block_id}`);
  const place = block
    ? make("a", { href: `#block-${thread.block_id}`, onclick: () => block.focus() }, thread.quote || say("comment-empty-block"))
    : make("span", {}, say("comment-removed"), " ", make("q", {}, thread.quote));
  return make(
    "li",
    { class: `thread${isSettled ? " settled" : ""}`, "data-thread": thread.id, "data-about-block": thread.block_id },
    make("p", { class: "quote" }, place),
    ...thread.comments.map((each) => commentShown(thread, each)),
    isSettled && make("p", { class: "hint" }, say("comment-resolved-by", { name: context.people[thread.resolved_by] ?? thread.resolved_by })),
    context.may_comment && replying(thread, isSettled),
  );
}

function commentShown(thread, comment) {
  const isMine = comment.author === context.subject;
  const at = make("time", { datetime: comment.created_at, "data-moment": "" }, comment.created_at);
  const body = make("p", { class: "comment-text" }, ...withCalls(comment));
  const shown = make(
    "div",
    { class: "comment", "data-said": comment.id },
    make("p", { class: "small faint" }, make("strong", {}, authorOf(comment)), " ", at, comment.edited_at && ` · ${say("comment-edited")}`),
    body,
    context.may_comment &&
      (isMine || context.is_owner) &&
      make(
        "p",
        { class: "row" },
        isMine && small("comment-edit", () => edit(comment, shown, body)),
        small("comment-delete", () => act(() => remove(`comments/${comment.id}`), "comment-deleted")),
      ),
  );
  localise(shown);
  return shown;
}

const small = (name, onclick) => make("button", { class: "button quiet small", type: "button", onclick }, say(name));

const authorOf = ({ author, author_name: name }) => (author.startsWith("(erased)") ? say("comment-former") : name);

/** The text of a comment, with who is called in it marked. */
function withCalls({ text, mentions }) {
  if (!mentions.length) return [text];
  const names = mentions.flatMap((each) => [each, context.people[each] ?? each]).map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).sort((one, other) => other.length - one.length);
  return text.split(new RegExp(`(@(?:${names.join("|")})(?![\\p{L}\\p{N}_]))`, "iu")).map((part, place) => (place % 2 ? make("mark", {}, part) : part));
}

function replying(thread, isSettled) {
  const field = make("textarea", { rows: 1, maxlength: 4000, "data-of": thread.id, "aria-label": say("comment-reply-to"), placeholder: say("comment-reply-to"), required: true });
  let mine = once();
  const send = async (event) => {
    event.preventDefault();
    const { value } = field;
    field.value = "";
    if (!(await act(() => post(`comment-threads/${thread.id}/comments`, { text: value }, { key: mine }), "comment-said"))) field.value = value;
    mine = once();
  };
  const settle = () => act(() => put(`comment-threads/${thread.id}`, { resolved: !isSettled }), isSettled ? "comment-reopened" : "comment-resolved");
  return make(
    "form",
    { method: "post", class: "stack", onsubmit: send },
    field,
    make("p", { class: "row" }, make("button", { class: "button small" }, say("comment-reply")), small(isSettled ? "comment-reopen" : "comment-resolve", settle)),
  );
}

function edit(comment, shown, body) {
  const field = make("textarea", { rows: 3, maxlength: 4000, "aria-label": say("comment-edit"), required: true });
  field.value = comment.text;
  const send = (event) => {
    event.preventDefault();
    act(() => put(`comments/${comment.id}`, { text: field.value }), "comment-said");
  };
  const changing = make(
    "form",
    { method: "post", class: "stack", onsubmit: send },
    field,
    make("p", { class: "row" }, make("button", { class: "button small primary" }, say("comment-save")), small("cancel", show)),
  );
  body.replaceWith(changing);
  shown.querySelector(":scope > .row")?.remove();
  field.focus();
}

// --- when

if (context.may_comment) {
  shortcut("c", say("comment-block"), ({ target }) => {
    const id = target.closest?.("[data-block]")?.dataset.block;
    return id === undefined || target.closest(".writer") ? false : openAt(id);
  });
}
document.body.addEventListener("comments-changed", () => void refresh());
for (const block of blocks.querySelectorAll("[data-block]")) equip(block);
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) for (const each of addedNodes) if (each instanceof Element) equip(each);
}).observe(blocks, { childList: true });
refresh();
