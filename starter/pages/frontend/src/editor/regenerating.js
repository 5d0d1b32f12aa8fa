// A block written again: asked for with a wish, followed, shown as a diff, and accepted or rejected.
import { get, once, post } from "../parts/api.js";
import { freshId, make } from "../parts/elements.js";
import { tellError } from "../parts/messages.js";
import { say } from "../parts/strings.js";
import { rewritten } from "./blocks.js";
import { labelOf, part } from "./list.js";
import { merge } from "./merging.js";

const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [250, 2000];
const WISH_MOST = 10_000;
const ENDED = ["SUCCEEDED", "FAILED"];

export class Regenerating {
  #desk;
  #save;
  busy = false;

  /** @param {(blocks?: Block[]) => Promise<boolean>} save saves, and says whether it has */
  constructor(desk, save) {
    this.#desk = desk;
    this.#save = save;
  }

  /** Ask for the wish, in the block; `asked`: what it was, where that came to nothing. */
  ask(id, asked = "") {
    const wish = make("textarea", { id: freshId("wish"), maxlength: WISH_MOST, rows: 2 });
    wish.value = asked;
    const form = make(
      "form",
      { class: "stack" },
      make("h3", {}, say("regenerate-title", { label: labelOf(id) })),
      make("label", { class: "field", for: wish.id }, say("regenerate-wish"), wish),
      make("p", { class: "hint" }, say("regenerate-hint"), this.#desk.dirty ? ` ${say("regenerate-saves-first")}` : ""),
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
      this.#run(id, wish.value.trim());
    });
    this.#show(id, form);
    wish.focus();
  }

  async #run(id, wish) {
    const progress = make("progress", { max: 100, "aria-label": say("regenerate-running") });
    const words = make("p", {}, say("regenerate-running"));
    this.#show(id, make("div", { class: "stack", role: "status" }, words, progress));
    document.getElementById(`block-${id}`).focus({ preventScroll: true });
    this.busy = true;
    try {
      if (this.#desk.dirty && !(await this.#save())) return this.#again(id, wish);
      const task = await this.#begun(id, wish, words);
      words.textContent = say("regenerate-running");
      const done = await this.#ended(task, (percent) => {
        if (percent) progress.value = percent;
      });
      if (done.status === "FAILED") throw { code: done.failure.failure_code, message: done.failure.failure_message };
      await this.#propose(id, done);
    } catch (error) {
      tellError(error);
      this.#again(id, wish);
    } finally {
      this.busy = false;
    }
    return undefined;
  }

  /** What was typed stays to be sent once more. */
  #again(id, wish) {
    if (wish) this.ask(id, wish);
    else this.#close(id);
  }

  /** The task; where another part is being written, that one's end is waited for. */
  async #begun(id, wish, words) {
    for (;;) {
      const asked = { base_version: this.#desk.base.version, selection: { block_id: id }, client_request_id: once() };
      try {
        return await post(`instructions/${this.#desk.instruction}/regenerate`, wish ? { ...asked, context: wish } : asked);
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
    const state = await this.#desk.read();
    if (state.version > this.#desk.base.version && !this.#contested(state, null)) this.#desk.adopt(state);
  }

  #contested(state, except) {
    const { base, blocks } = this.#desk;
    return merge(base.blocks, blocks, state.blocks).some((row) => row.by === "both" && row.id !== except);
  }

  async #propose(id, task) {
    const desk = this.#desk;
    const kept = task.proposal?.blocks.find((each) => each.block_id === id);
    const state = await desk.read();
    if (kept && !this.#contested(state, null)) desk.adopt(state); // with the edit that it gave way to
    const proposal = kept?.markdown ?? state.blocks.find((each) => each.id === id)?.markdown;
    const before = desk.text(id);
    if (before === undefined || proposal === undefined) return this.#close(id);
    if (proposal === before) {
      const words = [say("regenerate-same"), ...task.warnings.map(({ message }) => message)].join(" ");
      const close = make("button", { class: "button small", type: "button", onclick: () => this.#close(id) }, say("close"));
      return this.#show(id, make("div", { class: "notice row", role: "status" }, make("span", {}, words), close));
    }
    if (!kept && !this.#contested(state, id)) desk.adopt(state);
    const isPut = desk.text(id) === proposal;
    this.#offer(id, { before, proposal, warnings: task.warnings, isKept: Boolean(kept), isPut });
    return undefined;
  }

  /** `isPut`: the new text is in the document, and in the newest version, already. */
  async #offer(id, { before, proposal, warnings, isKept, isPut }) {
    const { openDiff } = await import("./differ.js");
    const holder = make("div", { class: "diff" });
    const accept = make("button", { class: "button primary", type: "button" }, say("proposal-accept"));
    const reject = make("button", { class: "button", type: "button" }, say("proposal-reject"));
    accept.addEventListener("click", () => this.#decide(id, isPut ? null : proposal, false));
    reject.addEventListener("click", () => this.#decide(id, isPut ? before : null, true));
    this.#show(
      id,
      make(
        "section",
        { class: "stack", "aria-label": say("proposal-title") },
        make("h3", {}, say("proposal-title")),
        isKept && make("p", { class: "notice warn" }, say("proposal-kept")),
        ...warnings.map(({ message }) => make("p", { class: "notice" }, message)),
        holder,
        make("div", { class: "row" }, accept, reject),
      ),
    );
    openDiff(holder, { before, text: proposal, label: say("proposal-diff", { label: labelOf(id) }) });
    const { activeElement: at, body } = document;
    if (at === body || document.getElementById(`block-${id}`).contains(at)) accept.focus(); // else somebody writes elsewhere
  }

  /** @param {string | null} text what the block is to say now; null: it stays as it is */
  async #decide(id, text, saves) {
    this.#close(id);
    if (text === null) return;
    const desk = this.#desk;
    desk.change(rewritten(desk.blocks, id, text));
    if (saves) await this.#save(rewritten(desk.base.blocks, id, text)); // that block alone: the rest is not done yet
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
