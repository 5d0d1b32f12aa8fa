// What was done to the document, to be undone and done again: texts, structure and pictures alike.
const MOST = 300;
const JOINED_WITHIN_MS = 700;

/** @typedef {Map<string, string | null>} Shows which picture shows at each anchor */

export class History {
  #past = [];
  #future = [];
  #joins;
  #at = 0;

  /** @param {Block[]} blocks @param {Shows} shows */
  constructor(blocks, shows) {
    this.now = blocks;
    this.shows = shows;
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
    if (!goesOn) this.#step();
    this.#joins = joins;
    this.#at = at;
    this.now = blocks;
  }

  /** Other pictures show, by what was done here: a step of its own. */
  drew(shows) {
    this.#step();
    this.shows = shows;
  }

  undo() {
    this.#back(this.#past, this.#future);
  }

  redo() {
    this.#back(this.#future, this.#past);
  }

  /** Carry everything over to a new ground, so that undoing takes back what was done here and nothing of others. */
  rebase(carried) {
    this.#each((state) => ({ ...state, now: carried(state.now) }));
  }

  /** Pictures show that others have chosen, or that are new: they show whatever is undone. */
  saw(shows) {
    const changed = [...shows].filter(([anchor, asset]) => (this.shows.get(anchor) ?? null) !== asset); // one that was undone to before it was there shows nothing
    if (changed.length) this.#each((state) => ({ ...state, shows: new Map([...state.shows, ...changed]) }));
  }

  #each(carried) {
    Object.assign(this, carried({ now: this.now, shows: this.shows }));
    this.#past = this.#past.map(carried);
    this.#future = this.#future.map(carried);
    this.#joins = null;
  }

  #step() {
    this.#past.push({ now: this.now, shows: this.shows });
    if (this.#past.length > MOST) this.#past.shift();
    this.#future = [];
    this.#joins = null;
  }

  #back(from, onto) {
    const found = from.pop();
    if (!found) return;
    onto.push({ now: this.now, shows: this.shows });
    Object.assign(this, found);
    this.#joins = null;
  }
}
