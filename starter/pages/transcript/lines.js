// The lines of a transcript: all of them on the page, built a few at a time. What is out of sight costs no layout
// (content-visibility), and the browser's own search finds it.
import { clock } from "../parts/moments.js";
import { say } from "../parts/strings.js";

const AT_ONCE = 400;

/** A line's facts: `start`, `end` (ms), `text`, and `original` where it is corrected. */
const factsOf = ([start, end, text, original = null]) => ({ start, end, text, original });

export class Lines {
  facts = [];
  #template = document.getElementById("line-template").content.firstElementChild;
  #active = 0;

  constructor(list) {
    this.list = list;
  }

  /** Take over what is on the page, and put the rest there. */
  async fill(segments) {
    this.facts = segments.map(factsOf);
    for (const [index, facts] of this.facts.slice(0, this.list.children.length).entries()) this.#show(index, facts);
    while (this.list.children.length < this.facts.length) {
      const from = this.list.children.length;
      this.list.append(...this.facts.slice(from, from + AT_ONCE).map((facts, place) => this.#line(from + place, facts)));
      await new Promise((resolve) => setTimeout(resolve)); // others have their turn
    }
    this.activate(this.#active);
  }

  line(index) {
    return this.list.children[index];
  }

  textOf(index) {
    return this.line(index).querySelector("[data-text]");
  }

  indexOf(element) {
    const line = element.closest("li");
    return line ? Number(line.id.slice(1)) : -1;
  }

  /** The line that is said at a moment: the last one that has begun by then; -1 before the first. */
  at(ms) {
    let [low, high] = [0, this.facts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.facts[middle].start <= ms) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  get active() {
    return this.#active;
  }

  /** The one line that Tab reaches. */
  activate(index, { focus = false } = {}) {
    if (!this.line(index)) return;
    for (const [which, place] of [[this.#active, -1], [index, 0]]) {
      for (const button of this.line(which)?.querySelectorAll("[data-at], [data-correct]") ?? []) button.tabIndex = place;
    }
    this.#active = index;
    if (focus) {
      this.reveal(index);
      this.line(index).querySelector("[data-at]").focus({ preventScroll: true });
    }
  }

  /** Scroll to a line, where it is not in sight. What is far away has only a guessed height: twice finds it. */
  reveal(index, block = "nearest") {
    const line = this.line(index);
    if (!line) return;
    line.scrollIntoView({ block });
    requestAnimationFrame(() => line.scrollIntoView({ block: "nearest" }));
  }

  /** A line reads otherwise now. */
  change(index, facts) {
    this.facts[index] = { ...this.facts[index], ...facts };
    this.#show(index, this.facts[index]);
  }

  #line(index, facts) {
    const line = this.#template.cloneNode(true);
    line.id = `s${index}`;
    const time = clock(facts.start);
    const at = line.querySelector("[data-at]");
    at.textContent = time;
    at.setAttribute("aria-label", say("play-from", { time }));
    line.querySelector("[data-correct]")?.setAttribute("aria-label", say("correct-at", { time }));
    this.#write(line, facts);
    return line;
  }

  #show(index, facts) {
    this.#write(this.line(index), facts);
  }

  #write(line, { text, original }) {
    line.querySelector("[data-text]").textContent = text;
    const heard = line.querySelector("[data-original]");
    heard.hidden = original === null;
    heard.textContent = original === null ? "" : say("heard-as", { text: original });
  }
}
