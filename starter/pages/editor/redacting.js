// What is private on the pictures: shown as it was found, and blurred on all of them in one press.
import { call, post } from "../parts/api.js";
import { shown } from "../parts/asking.js";
import { freshId, make } from "../parts/elements.js";
import { tell } from "../parts/messages.js";
import { say } from "../parts/strings.js";

const MOST_SHOWN = 50;

/**
 * Ask what is to be blurred, and blur it.
 * @param {string} instruction its id
 * @param {(anchorId: string) => string} labelOf what the block of an anchor is called; empty where it has none
 * @returns {Promise<boolean>} whether a picture changed
 */
export async function redact(instruction, labelOf) {
  return new Redacting(instruction, labelOf).result();
}

class Redacting {
  #changed = false;
  #asked = 0;
  #kept = [];

  constructor(instruction, labelOf) {
    this.path = `instructions/${instruction}/redactions`;
    this.labelOf = labelOf;
    const id = freshId("redacting");
    this.words = make("input", { type: "text", autocomplete: "off", oninput: () => this.#stale(), onchange: () => this.#look() });
    this.keep = make("input", { type: "checkbox" });
    this.found = make("ul", { class: "drawn" });
    this.summary = make("p", { role: "status" });
    this.unread = make("p", { class: "notice warn", hidden: true });
    this.failure = make("p", { class: "notice bad", role: "alert", hidden: true });
    this.blur = make("button", { class: "button primary", type: "button", disabled: true, onclick: () => this.#blur() }, say("redact-do"));
    const close = make("button", { class: "button", type: "button", onclick: () => this.dialog.close() }, say("cancel"));
    this.dialog = make(
      "dialog",
      { class: "pictures narrow", "aria-labelledby": id },
      make("h2", { id }, say("redact-title")),
      make("p", { class: "hint" }, say("redact-what")),
      make("label", { class: "field" }, make("span", {}, say("redact-also")), this.words),
      make("label", { class: "row small" }, this.keep, make("span", {}, say("redact-keep"))),
      this.summary,
      this.found,
      this.unread,
      this.failure,
      make("div", { class: "row ends" }, this.blur, close),
    );
  }

  async result() {
    const closed = shown(this.dialog);
    await this.#recall();
    await this.#look();
    await closed;
    return this.#changed;
  }

  /** What is on the user's list stands in the field: it can be taken off there. */
  async #recall() {
    const told = await this.#told(() => call("GET", "private-words"));
    this.#kept = told?.words ?? [];
    this.keep.checked = this.#kept.length > 0;
    if (!this.words.value) this.words.value = this.#kept.join(", ");
  }

  /** The field is the list where it is to be kept, and empties it where it is not any more. */
  async #remember() {
    const words = this.keep.checked ? this.#also : [];
    if (words.join() === this.#kept.join()) return true;
    return Boolean(await this.#told(() => call("PUT", "private-words", { body: { words } })));
  }

  get #also() {
    return this.words.value.split(",").map((each) => each.trim()).filter((each) => each.length > 1);
  }

  /** Other words are looked for before they are blurred: what is pressed is what was shown. */
  #stale() {
    this.#asked += 1;
    this.blur.disabled = true;
  }

  async #look() {
    this.#stale();
    const turn = this.#asked;
    this.summary.textContent = say("redact-looking");
    const told = await this.#ask({ preview: true });
    if (!told || turn !== this.#asked) return;
    const count = told.pictures.filter(({ blurs }) => blurs > 0).length;
    this.blur.disabled = count === 0;
    this.summary.textContent = say("redact-found", { count });
    this.found.replaceChildren(...told.found.slice(0, MOST_SHOWN).map(({ kind, text, pictures }) => make("li", {}, say("redact-value", { kind, text, count: pictures }))));
    const unread = told.pictures.filter(({ unchecked }) => unchecked !== null);
    const where = [...new Set(unread.map(({ anchor_id: id }) => this.labelOf(id)).filter(Boolean))];
    this.unread.hidden = unread.length === 0;
    this.unread.textContent = say("redact-unchecked", { count: unread.length, where: where.slice(0, MOST_SHOWN).join(", ") });
  }

  async #blur() {
    this.blur.disabled = true;
    const told = (await this.#remember()) && (await this.#ask({}));
    if (!told) return;
    const count = told.pictures.filter(({ blurs }) => blurs > 0).length;
    this.#changed = count > 0;
    tell(say("redact-done", { count }));
    this.dialog.close();
  }

  #ask(what) {
    return this.#told(() => post(this.path, { also: this.#also, listed: false, ...what }));
  }

  async #told(asked) {
    this.failure.hidden = true;
    try {
      return await asked();
    } catch (error) {
      this.summary.textContent = "";
      this.failure.textContent = error.code ? error.message : say("failed-unforeseen");
      this.failure.hidden = false;
      return null;
    }
  }
}
