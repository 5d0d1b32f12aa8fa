// The canvas that people draw on, and what is drawn on it so far.
import { make } from "../../parts/elements.js";
import { say } from "../../parts/strings.js";
import { History } from "./history.js";
import { MOST_OPERATIONS, between, centred, drawnOn, handles, hits, isMeant, moved, placed, pulled, saying, stretched, styled } from "./operations.js";
import { paint, paintChosen } from "./paint.js";

const WIDEST = 2560; // pixels of the canvas: more does not show, and slows what is drawn
const [STEP, FINE_STEP] = [0.01, 0.002];
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const REACH = 10; // pixels of the screen around a line that still count as it

export class Board {
  tool = "choose";
  chosen = null;
  loaded = false;
  #drag = null;
  #sketch = null;
  #frame = 0;

  /**
   * @param {{image_uri: string, width: number, height: number}} asset
   * @param {{changed: () => void, style: (tool: string) => object, made: (operation: object) => void}} told `changed`:
   *   what is drawn or chosen is another; `made`: something was added
   * @param {object[]} operations what is drawn on it already
   */
  constructor(asset, { changed, style, made }, operations = []) {
    this.history = new History(operations);
    this.asset = asset;
    this.changed = changed;
    this.style = style;
    this.made = made;
    const scale = Math.min(1, WIDEST / asset.width);
    this.canvas = make("canvas", { width: Math.round(asset.width * scale), height: Math.round(asset.height * scale), tabindex: 0, role: "application", "aria-label": say("draw-canvas") });
    this.canvas.style.aspectRatio = `${asset.width} / ${asset.height}`;
    this.picture = new Image();
    const listen = (name, act) => this.canvas.addEventListener(name, act);
    listen("pointerdown", (event) => this.#down(event));
    listen("pointermove", (event) => this.#move(event));
    listen("pointerup", () => this.#up());
    listen("pointercancel", () => this.#up());
    listen("keydown", (event) => this.#key(event));
    this.resized = new ResizeObserver(() => this.#repaint());
    this.resized.observe(this.canvas);
  }

  /** Throws where the picture cannot be shown. */
  async load() {
    this.picture.src = this.asset.image_uri;
    await this.picture.decode();
    this.loaded = true;
    this.#told();
  }

  end() {
    this.resized.disconnect();
    cancelAnimationFrame(this.#frame);
  }

  use(tool) {
    this.tool = tool;
    if (tool !== "choose") this.chosen = null;
    this.canvas.dataset.tool = tool;
    this.#told();
  }

  choose(index) {
    this.chosen = index;
    this.#told();
  }

  /** Add what the tool draws, in the middle: it is then moved by keys. */
  add() {
    if (this.tool === "choose" || !this.loaded) return;
    this.#append(centred(this.tool, this.style(this.tool)));
    this.canvas.focus();
  }

  remove() {
    if (this.chosen === null) return;
    this.history.step(this.history.now.filter((_, index) => index !== this.chosen));
    this.chosen = null;
    this.#told();
  }

  /** Draw what is chosen with another style. */
  restyle(style) {
    if (this.chosen !== null) {
      const operation = this.history.now[this.chosen];
      this.#change({ ...operation, style: styled(operation.op_type, style) }, `style ${this.chosen}`);
    }
    this.#told();
  }

  undo() {
    this.history.undo();
    this.chosen = null;
    this.#told();
  }

  redo() {
    this.history.redo();
    this.chosen = null;
    this.#told();
  }

  // --- by the mouse

  #down(event) {
    if (event.button !== 0 || !this.loaded) return;
    event.preventDefault();
    this.canvas.focus();
    this.canvas.setPointerCapture(event.pointerId);
    const at = this.#point(event);
    const near = this.#near;
    const held = this.chosen === null ? undefined : handles(this.history.now[this.chosen]).find((each) => Math.abs(each.x - at.x) < near && Math.abs(each.y - at.y) < near * (this.canvas.width / this.canvas.height));
    if (held) {
      this.#drag = { handle: held.name, from: at };
    } else if (this.tool === "choose") {
      const found = this.history.now.findLastIndex((each) => hits(each, at, near));
      this.chosen = found < 0 ? null : found;
      this.#drag = found < 0 ? null : { from: at };
    } else {
      this.chosen = null;
      this.#drag = { from: at };
      this.#sketch = between(this.tool, at, at, this.style(this.tool));
    }
    this.#told();
  }

  #move(event) {
    if (!this.#drag) return;
    for (const each of event.getCoalescedEvents?.() ?? [event]) this.#drawTo(this.#point(each));
    this.#repaint();
  }

  #drawTo(at) {
    const { from, handle } = this.#drag;
    if (this.#sketch) {
      this.#sketch = this.tool === "pencil" ? drawnOn(this.#sketch, at) : between(this.tool, from, at, this.#sketch.style);
      return;
    }
    const operation = this.history.now[this.chosen];
    this.#change(handle ? pulled(operation, handle, at) : moved(operation, at.x - from.x, at.y - from.y), "drag");
    this.#drag.from = at;
  }

  #up() {
    if (!this.#drag) return;
    const sketch = this.#sketch;
    const { from } = this.#drag;
    this.#drag = this.#sketch = null;
    this.history.rest();
    const made = sketch && (isMeant(sketch) ? sketch : placed(this.tool, from, sketch.style));
    if (made) this.#append(made);
    else this.#told();
  }

  /** What the first finger began is not meant: a second one came. */
  stop() {
    this.#drag = this.#sketch = null;
    this.history.rest();
    this.#told();
  }

  // --- by the keyboard

  #key(event) {
    if (event.ctrlKey || event.metaKey) return;
    const arrow = ARROWS[event.key];
    if (arrow && this.chosen !== null) {
      const step = event.altKey ? FINE_STEP : STEP;
      const [dx, dy] = arrow.map((each) => each * step);
      const operation = this.history.now[this.chosen];
      this.#change(event.shiftKey ? stretched(operation, dx, dy) : moved(operation, dx, dy), `keys ${this.chosen} ${event.shiftKey}`);
      this.#told();
    } else if (event.key === "Enter") {
      this.add();
    } else if (event.key === "Delete" || event.key === "Backspace") {
      this.remove();
    } else {
      return;
    }
    event.preventDefault();
  }

  // --- how

  #append(operation) {
    const kept = operation.op_type === "crop" ? this.history.now.filter((each) => each.op_type !== "crop") : this.history.now; // one at most
    if (kept.length >= MOST_OPERATIONS) return;
    this.history.step([...kept, saying(operation, kept, say("draw-text-new"))]);
    this.chosen = this.history.now.length - 1;
    this.#told();
    this.made(this.history.now[this.chosen]);
  }

  /** Let what is chosen say something else. */
  reword(part) {
    if (this.chosen === null) return;
    this.#change({ ...this.history.now[this.chosen], ...part }, `words ${this.chosen}`);
    this.#told();
  }

  #change(operation, gesture) {
    if (operation === this.history.now[this.chosen]) return;
    this.history.step(this.history.now.with(this.chosen, operation), gesture);
  }

  #told() {
    this.changed();
    this.#repaint();
  }

  #repaint() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => {
      if (!this.loaded) return;
      paint(this.canvas, this.picture, this.asset, this.#sketch ? [...this.history.now, saying(this.#sketch, this.history.now, "")] : this.history.now);
      if (this.chosen !== null) paintChosen(this.canvas, this.history.now[this.chosen], this.canvas.width / (this.canvas.clientWidth || this.canvas.width));
    });
  }

  #point(event) {
    const box = this.canvas.getBoundingClientRect();
    return { x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height };
  }

  get #near() {
    return REACH / (this.canvas.clientWidth || 1);
  }
}
