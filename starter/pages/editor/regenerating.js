// A block written again: asked for with a wish, followed, shown as a diff, and accepted or rejected.
import { get, once, post } from "../parts/api.js";
import { freshId, make } from "../parts/elements.js";
import { tellError } from "../parts/messages.js";
import { sentence } from "../parts/sentences.js";
import { stored } from "../parts/storage.js";
import { say } from "../parts/strings.js";
import { rewritten } from "./blocks.js";
import { labelOf, part } from "./list.js";
import { merge } from "./saving/merging.js";
import { notice, withdraw } from "./notices.js";

const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [250, 2000];
const WISH_MOST = 10_000;
const ENDED = ["SUCCEEDED", "FAILED"];
const PLAIN_WISHES = ["", "shorter", "as a list"]; // activities/drafting/rederive.py
const HEADINGS = new Set(["title", "section"]);

/** The text for a block that gave way to an edit, if one did. */
const textOf = (id, { proposal }) => proposal?.blocks.find((each) => each.block_id === id)?.markdown;

const failed = async ({ failure: { failure_code: code, failure_message: message } }) => ({ code, message: await sentence("error", code, message) });

/** What the writer has to say, in the page's language. */
const warned = (task) => Promise.all(task.warnings.map(({ code, message }) => sentence("warning", code, message)));

// A new text that gave way to an edit is in no version: this browser remembers which one was decided about last.
const keyOf = ({ instruction }) => `guidesmith:decided:${instruction}`;

// Without storage it is offered again.
const isDecided = (copy, { id }) => stored(() => localStorage.getItem(keyOf(copy)) === id, false);
const decided = (copy, { id }) => stored(() => localStorage.setItem(keyOf(copy), id));

/** A wish in the reader's own words. */
function worded(asked) {
  const wish = make("textarea", { id: freshId("wish"), maxlength: WISH_MOST, rows: 2 });
  wish.value = asked;
  return { field: make("label", { class: "field", for: wish.id }, say("regenerate-wish"), wish), first: wish, wished: () => wish.value.trim() };
}

/** What can be wished for where no model writes; a title has one line anyway. */
function chosen(asked, role) {
  if (HEADINGS.has(role)) return { field: null, first: null, wished: () => "" };
  const name = freshId("wish");
  const inputs = PLAIN_WISHES.map((value) => make("input", { type: "radio", name, value, checked: value === asked }));
  const choices = inputs.map((input) => make("label", { class: "choice" }, input, say(`regenerate-as-${input.value.replaceAll(" ", "-") || "heard"}`)));
  const field = make("fieldset", {}, make("legend", {}, say("regenerate-how")), ...choices);
  return { field, first: inputs.find((each) => each.checked) ?? inputs[0], wished: () => inputs.find((each) => each.checked)?.value ?? "" };
}

export class Regenerating {
  #copy;
  #save;
  #hasModel;
  #works = 0;

  /**
   * @param {(blocks?: Block[]) => Promise<boolean>} save saves, and says whether it has
   * @param {boolean} hasModel whether a language model writes here, which any wish can be told
   */
  constructor(copy, save, hasModel) {
    this.#copy = copy;
    this.#save = save;
    this.#hasModel = hasModel;
  }

  get busy() {
    return this.#works > 0;
  }

  /**
   * Go on with what was asked for before the page came, here or elsewhere.
   * @param {{id: string, status: string, blocks: string[]}} task
   */
  async resume(task) {
    if (ENDED.includes(task.status) && isDecided(this.#copy, task)) return;
    await Promise.all(task.blocks.map((id) => this.#resumed(id, task)));
  }

  async #resumed(id, task) {
    const runs = !ENDED.includes(task.status);
    const { heard } = runs ? this.#wait(id) : { heard() {} };
    this.#works += 1;
    try {
      const done = runs ? await this.#ended(task, heard) : await get(`tasks/${task.id}`);
      if (done.status === "FAILED") throw await failed(done);
      if (!runs && this.#copy.text(id) === textOf(id, done)) return; // accepted here, and not saved yet
      await this.#propose(id, done, { isSought: false });
    } catch (error) {
      this.#close(id);
      tellError(error);
    } finally {
      this.#works -= 1;
    }
  }

  /** Ask for the wish, in the block; `asked`: what it was, where that came to nothing. */
  ask(id, asked = "") {
    const { field, first, wished } = this.#hasModel ? worded(asked) : chosen(asked, this.#copy.blocks.find((each) => each.id === id).role);
    const form = make(
      "form",
      { class: "stack" },
      make("h3", {}, say("regenerate-title", { label: labelOf(id) })),
      field,
      make("p", { class: "hint" }, say(this.#hasModel ? "regenerate-hint" : "regenerate-hint-plain"), this.#copy.dirty ? ` ${say("regenerate-saves-first")}` : ""),
      make("div", { class: "row" }, make("button", { class: "button primary" }, say("regenerate-start")), make("button", { class: "button", type: "button", onclick: () => this.#close(id) }, say("cancel"))),
    );
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#close(id);
      else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#run(id, wished());
    });
    this.#show(id, form);
    (first ?? form.querySelector("button")).focus();
  }

  async #run(id, wish) {
    const { words, heard } = this.#wait(id);
    document.getElementById(`block-${id}`).focus({ preventScroll: true });
    this.#works += 1;
    try {
      if (this.#copy.dirty && !(await this.#save())) return this.#again(id, wish);
      const task = await this.#begun(id, wish, words);
      words.textContent = say("regenerate-running");
      const done = await this.#ended(task, heard);
      if (done.status === "FAILED") throw await failed(done);
      await this.#propose(id, done);
    } catch (error) {
      tellError(error);
      this.#again(id, wish);
    } finally {
      this.#works -= 1;
    }
    return undefined;
  }

  /** Show in the block that it is being written. */
  #wait(id) {
    const progress = make("progress", { max: 100, "aria-label": say("regenerate-running") });
    const words = make("p", {}, say("regenerate-running"));
    this.#show(id, make("div", { class: "stack", role: "status" }, words, progress));
    const heard = (percent) => {
      if (percent) progress.value = percent;
    };
    return { words, heard };
  }

  /** What was typed stays to be sent once more. */
  #again(id, wish) {
    if (wish) this.ask(id, wish);
    else this.#close(id);
  }

  /** The task; where another part is being written, that one's end is waited for. */
  async #begun(id, wish, words) {
    for (;;) {
      const asked = { base_version: this.#copy.base.version, selection: { block_id: id }, client_request_id: once() };
      try {
        return await post(`instructions/${this.#copy.instruction}/regenerate`, wish ? { ...asked, context: wish } : asked);
      } catch (error) {
        if (error.code !== "REGENERATE_IN_PROGRESS") throw error;
        words.textContent = say("regenerate-busy");
        await this.#ended({ id: error.details.task_id, status: "RUNNING" }, () => {});
        await this.#follow();
      }
    }
  }

  async #ended(task, heard) {
    let now = task;
    for (let wait = FIRST_WAIT_MS; !ENDED.includes(now.status); wait = Math.min(1.4 * wait, LONGEST_WAIT_MS)) {
      await new Promise((resolve) => setTimeout(resolve, wait));
      now = await get(`tasks/${task.id}`).catch((error) => {
        if (error.code === "UNREACHABLE") return now; // the work goes on without us
        throw error;
      });
      heard(now.progress_pct);
    }
    return now;
  }

  /** Go on from the newest version where that takes nothing away. */
  async #follow() {
    const state = await this.#copy.read();
    if (state.version > this.#copy.base.version && !this.#contested(state, null)) this.#copy.adopt(state);
  }

  #contested(state, except) {
    const { base, blocks } = this.#copy;
    return merge(base.blocks, blocks, state.blocks).some((row) => row.by === "both" && row.id !== except);
  }

  /** `isSought`: whoever looks at the page has asked for it; else it is said where it is. */
  async #propose(id, task, { isSought = true } = {}) {
    const copy = this.#copy;
    const kept = textOf(id, task);
    const state = await copy.read();
    const isKept = kept !== undefined;
    if (isKept && !this.#contested(state, null)) copy.adopt(state); // with the edit that it gave way to
    const proposal = kept ?? state.blocks.find((each) => each.id === id)?.markdown;
    const before = copy.text(id);
    if (before === undefined || proposal === undefined) return this.#close(id);
    if (proposal === before) {
      const words = [say("regenerate-same"), ...(await warned(task))].join(" ");
      const close = make("button", { class: "button small", type: "button", onclick: () => this.#close(id) }, say("close"));
      return this.#show(id, make("div", { class: "notice row", role: "status" }, make("span", {}, words), close));
    }
    if (!isKept && !this.#contested(state, id)) copy.adopt(state);
    const isPut = copy.text(id) === proposal;
    await this.#offer(id, { before, proposal, task, isKept, isPut, isSought });
    return undefined;
  }

  /** `isPut`: the new text is in the document, and in the newest version, already. */
  async #offer(id, { before, proposal, task, isKept, isPut, isSought }) {
    const { openDiff } = await import("./saving/differ.js");
    const told = await warned(task);
    const holder = make("div", { class: "diff" });
    const accept = make("button", { class: "button primary", type: "button" }, say("proposal-accept"));
    const reject = make("button", { class: "button", type: "button" }, say("proposal-reject"));
    const decide = (text, saves) => {
      if (isKept) decided(this.#copy, task);
      return this.#decide(id, text, saves);
    };
    accept.addEventListener("click", () => decide(isPut ? null : proposal, false));
    reject.addEventListener("click", () => decide(isPut ? before : null, true));
    this.#show(
      id,
      make(
        "section",
        { class: "stack", "aria-label": say("proposal-title") },
        make("h3", {}, say("proposal-title")),
        isKept && make("p", { class: "notice warn" }, say("proposal-kept")),
        ...told.map((each) => make("p", { class: "notice" }, each)),
        holder,
        make("div", { class: "row" }, accept, reject),
      ),
    );
    openDiff(holder, { before, text: proposal, label: say("proposal-diff", { label: labelOf(id) }) });
    if (!isSought) {
      notice(`proposal-${id}`, say("proposal-waits", { label: labelOf(id) }), [{ words: say("proposal-show"), doing: () => accept.focus() }]);
      return;
    }
    const { activeElement: at, body } = document;
    if (at === body || document.getElementById(`block-${id}`).contains(at)) accept.focus(); // else somebody writes elsewhere
  }

  /** @param {string | null} text what the block is to say now; null: it stays as it is */
  async #decide(id, text, saves) {
    this.#close(id);
    withdraw(`proposal-${id}`);
    if (text === null) return;
    const copy = this.#copy;
    copy.change(rewritten(copy.blocks, id, text));
    if (saves) await this.#save(rewritten(copy.base.blocks, id, text)); // that block alone: the rest is not done yet
  }

  #show(id, content) {
    part(id, "proposal")?.replaceChildren(content);
  }

  #close(id) {
    const holder = part(id, "proposal");
    const had = holder?.contains(document.activeElement);
    holder?.replaceChildren();
    if (had) document.getElementById(`block-${id}`).focus();
  }
}
