// What was done to the document, to be undone and done again: texts and structure alike.
const MOST = 300;
const JOINED_WITHIN_MS = 700;

export class Course {
  #past = [];
  #future = [];
  #joins;
  #at = 0;

  constructor(blocks) {
    this.now = blocks;
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  /** Go on with `blocks`. What is typed in one go (`joins`: the same word each time) is one step. */
  to(blocks, joins = null) {
    const at = performance.now();
    const goesOn = joins !== null && joins === this.#joins && at - this.#at < JOINED_WITHIN_MS && this.canUndo;
    if (!goesOn) this.#past.push(this.now);
    if (this.#past.length > MOST) this.#past.shift();
    this.#future = [];
    this.#joins = joins;
    this.#at = at;
    this.now = blocks;
  }

  undo() {
    this.#step(this.#past, this.#future);
  }

  redo() {
    this.#step(this.#future, this.#past);
  }

  /** Carry everything over to a new ground, so that undoing takes back what was done here and nothing of others. */
  rebase(carried) {
    this.now = carried(this.now);
    this.#past = this.#past.map(carried);
    this.#future = this.#future.map(carried);
    this.#joins = null;
  }

  #step(from, onto) {
    const found = from.pop();
    if (!found) return;
    onto.push(this.now);
    this.now = found;
    this.#joins = null;
  }
}
