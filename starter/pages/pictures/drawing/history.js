// Undo and redo of a list that never changes in place.

export class History {
  #past = [];
  #future = [];
  #gesture;

  constructor(now) {
    this.now = now;
  }

  /** Go on to `next`. Steps of one gesture (a drag, a held key) are undone together. */
  step(next, gesture) {
    if (gesture === undefined || gesture !== this.#gesture) this.#past.push(this.now);
    this.#gesture = gesture;
    this.#future = [];
    this.now = next;
  }

  /** The gesture is over: the next step is one of its own. */
  rest() {
    this.#gesture = undefined;
  }

  undo() {
    this.#move(this.#past, this.#future);
  }

  redo() {
    this.#move(this.#future, this.#past);
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  #move(from, to) {
    if (from.length === 0) return;
    to.push(this.now);
    this.now = from.pop();
    this.#gesture = undefined;
  }
}
