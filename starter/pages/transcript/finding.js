// Searching a transcript: every place is marked, and one after the other is gone to.
import { say } from "../parts/strings.js";

const TOGETHER_MS = 120;
const folded = (text) => text.toLocaleLowerCase();

export class Finding {
  #places = []; // [line, from, to]
  #at = -1;
  #timer;

  constructor(form, lines, { went }) {
    this.form = form;
    this.field = form.elements.wanted;
    this.lines = lines;
    this.went = went;
    this.field.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.find(), TOGETHER_MS);
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      clearTimeout(this.#timer);
      if (this.#wanted !== this.sought) this.find();
      else this.step(1);
    });
    form.querySelector("[data-step]").addEventListener("click", () => this.step(-1));
  }

  get #wanted() {
    return folded(this.field.value.trim());
  }

  /** Look for what is in the field. `stay`: the text has changed, and not what is sought; stay at the place gone to. */
  find({ stay = false } = {}) {
    const at = stay && this.#wanted === this.sought ? this.#at : -1;
    this.sought = this.#wanted;
    this.#places = this.sought ? this.lines.facts.flatMap((facts, index) => places(folded(facts.text), this.sought, index)) : [];
    this.#at = Math.min(at, this.#places.length - 1);
    this.#mark();
    if (this.#at < 0 && this.#places.length) this.step(1);
    else this.#tell();
  }

  /** To the next place, or the previous one; from the last to the first. */
  step(by) {
    const count = this.#places.length;
    if (!count) return;
    this.#at = this.#at < 0 ? (by > 0 ? 0 : count - 1) : (this.#at + by + count) % count;
    this.lines.list.querySelector(".found")?.classList.remove("found");
    const [line] = this.#places[this.#at];
    this.lines.line(line)?.classList.add("found");
    this.#tell();
    this.went(line);
  }

  #tell() {
    const count = this.#places.length;
    if (!count) this.lines.list.querySelector(".found")?.classList.remove("found");
    this.form.querySelector("[data-found]").textContent = this.sought && this.lines.facts.length ? say(count ? "found-place" : "found-none", { at: this.#at + 1, count }) : "";
    for (const button of this.form.querySelectorAll("button")) button.disabled = count === 0;
  }

  #mark() {
    if (!globalThis.CSS?.highlights) return; // the line that is gone to is marked all the same
    const found = new Highlight();
    for (const [line, from, to] of this.#places) {
      const text = this.lines.textOf(line)?.firstChild;
      if (!text || text.length < to) continue;
      const range = new Range();
      range.setStart(text, from);
      range.setEnd(text, to);
      found.add(range);
    }
    CSS.highlights.set("found", found);
  }
}

function places(text, wanted, line) {
  const found = [];
  for (let from = text.indexOf(wanted); from >= 0; from = text.indexOf(wanted, from + wanted.length)) found.push([line, from, from + wanted.length]);
  return found;
}
