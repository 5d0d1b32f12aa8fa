// A word that was corrected in one block, offered everywhere else; and what the glossary knows of this document.
import { certainPlaces, misheard, times } from "../glossary/misheard.js";
import { tell, tellError } from "../parts/messages.js";
import { say } from "../parts/strings.js";
import { notice, withdraw } from "./notices.js";

const LONGEST = 100;

export class Everywhere {
  #copy;
  #project;
  #save;
  #merge;

  /** @param {{project: string, save: () => Promise<boolean>, merge: () => Promise<boolean>}} does `merge`: puts what was
   * written here together with the newest version */
  constructor(copy, { project, save, merge }) {
    this.#copy = copy;
    this.#project = project;
    this.#save = save;
    this.#merge = merge;
  }

  /** A block's text was left: where a word became another that stands elsewhere too, that is offered. */
  offer(id, before, after) {
    const pair = before === after ? null : misheard(before, after);
    if (!pair) return;
    const { blocks, facts } = this.#copy;
    const said = new Set([...facts.values()].flatMap(({ cited }) => cited.map(({ text }) => text)));
    const count = times(pair.heard, [...blocks.filter((each) => each.id !== id).map(({ markdown }) => markdown), ...said]);
    if (count) tell(say("everywhere-offer", { heard: pair.heard, count }), "plain", { words: say("everywhere-offer-do"), doing: () => this.ask(pair) });
  }

  /** What the glossary knows is told above the text. */
  async known() {
    const count = await certainPlaces(this.#copy.job, { glossary: true });
    if (count) notice("glossary", say("everywhere-knows", { count }), [{ words: say("everywhere-knows-do"), doing: () => this.ask({ glossary: true }) }]);
  }

  /** Ask which places are to be corrected; what is written here is saved before. */
  async ask(pair = {}) {
    try {
      if (this.#copy.dirty && !(await this.#save())) return;
      const { correctEverywhere } = await import("../glossary/correcting.js");
      const isDone = await correctEverywhere({ job: this.#copy.job, project: this.#project, changed: () => this.#taken(), ...pair });
      if (isDone && pair.glossary) withdraw("glossary");
    } catch (error) {
      tellError(error);
    }
  }

  /** Go on with what was corrected, as a step that can be undone here. */
  async #taken() {
    const copy = this.#copy;
    const state = await copy.read();
    if (state.version === copy.base.version) return copy.refresh();
    if (copy.dirty) return this.#merge();
    copy.change(state.blocks.map(({ id, markdown, gap, role }) => ({ id, markdown, gap, role })));
    return copy.adopt(state, copy.blocks);
  }
}

/** What is selected, where it is a few words. */
export function selected() {
  const text = String(getSelection()).trim();
  return text.length <= LONGEST && !text.includes("\n") ? { heard: text } : {};
}
