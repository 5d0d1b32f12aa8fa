// A picture looked at more closely: by buttons, wheel, two fingers and keys, and moved within what it stands in.
import { make } from "../parts/elements.js";
import { say } from "../parts/strings.js";

const MOST = 8; // times its own pixels
const [STEP, WHEEL] = [1.25, 0.0022]; // of a press; of a pixel that the wheel is turned
const NEAR = 0.01; // of a scale that is the same
const CLICK = 4; // pixels of the screen that a click may wander

export class Zoom {
  #scale = null; // pixels of the page for one of the picture; null: as large as there is room
  #touches = new Map();
  #pinch = null;
  #pan = null;
  #space = false;

  /**
   * @param {HTMLElement} stage what it stands in, and scrolls once it is larger
   * @param {HTMLCanvasElement} canvas
   * @param {{width: number, looks?: boolean, interrupted?: () => void}} options `width`: the picture's own, in pixels;
   *   `looks`: nothing else is done with it than to look, so that the wheel alone zooms and a drag moves it;
   *   `interrupted`: a second finger came, so the first one does not draw
   */
  constructor(stage, canvas, { width, looks = false, interrupted = () => {} }) {
    Object.assign(this, { stage, canvas, width, looks, interrupted });
    const button = (name, sign, action) => make("button", { class: "button small quiet", type: "button", title: say(name), "aria-label": say(name), onclick: action }, sign);
    this.level = make("output", { class: "numbers small" });
    this.out = button("zoom-out", "−", () => this.by(1 / STEP));
    this.in = button("zoom-in", "+", () => this.by(STEP));
    this.fitting = make("button", { class: "button small quiet", type: "button", onclick: () => this.fit() }, say("shot-fit"));
    this.actual = make("button", { class: "button small quiet", type: "button", onclick: () => this.to(1) }, say("shot-actual"));
    this.tools = make("div", { class: "row zoom", role: "group", "aria-label": say("zoom") }, this.out, this.level, this.in, this.fitting, this.actual);
    stage.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    for (const [name, act] of [["pointerdown", "down"], ["pointermove", "move"], ["pointerup", "up"], ["pointercancel", "up"]]) stage.addEventListener(name, (event) => this[`_${act}`](event), true);
    this.resized = new ResizeObserver(() => this.#tell());
    this.resized.observe(canvas);
    this.#tell();
  }

  /** What it shows at: pixels of the page for one of the picture. */
  get scale() {
    return this.canvas.clientWidth / this.width || 1;
  }

  get isFit() {
    return this.#scale === null;
  }

  end() {
    this.resized.disconnect();
  }

  by(factor, at) {
    this.to(this.scale * factor, at);
  }

  fit() {
    this.#scale = null;
    this.#lay();
  }

  /** Show it at a scale, so that what is at `at` (of the window; the middle without) stays there. */
  to(scale, at = this.#middle) {
    const before = this.canvas.getBoundingClientRect();
    const wanted = Math.min(scale, MOST);
    if (this.isFit) this.least = this.scale; // smaller than that it is never shown
    this.#scale = wanted <= this.least * (1 + NEAR) ? null : wanted;
    this.#lay();
    if (this.isFit) return;
    const after = this.canvas.getBoundingClientRect();
    const share = (from, of) => (of ? Math.min(1, Math.max(0, from / of)) : 0.5);
    this.stage.scrollLeft += after.left + share(at.x - before.left, before.width) * after.width - at.x;
    this.stage.scrollTop += after.top + share(at.y - before.top, before.height) * after.height - at.y;
  }

  /** Whether a key was one of these: + − 0 1, and Space, which lets a drag move the picture. */
  key({ key, type }) {
    if (key === " ") {
      this.#space = type === "keydown" && !this.isFit;
      this.stage.classList.toggle("grab", this.#space);
      return !this.isFit;
    }
    const does = { "+": () => this.by(STEP), "=": () => this.by(STEP), "-": () => this.by(1 / STEP), 0: () => this.fit(), 1: () => this.to(1) }[key];
    if (type !== "keydown" || !does) return false;
    does();
    return true;
  }

  // --- how

  get #middle() {
    const { left, top, width, height } = this.stage.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };
  }

  #lay() {
    const { stage, canvas } = this;
    if (!this.isFit && !stage.classList.contains("zoomed")) stage.style.height = `${stage.getBoundingClientRect().height}px`; // nothing around it moves
    if (this.isFit) stage.style.height = "";
    stage.classList.toggle("zoomed", !this.isFit);
    if (this.looks) stage.tabIndex = this.isFit ? -1 : 0; // then it is scrolled, by keys too
    canvas.style.width = this.isFit ? "" : `${this.width * this.#scale}px`;
    this.#tell();
  }

  #tell() {
    const said = say("zoom-level", { percent: Math.round(100 * this.scale) });
    if (this.level.textContent !== said) this.level.textContent = said;
    this.out.disabled = this.fitting.disabled = this.isFit;
    this.in.disabled = this.scale >= MOST * (1 - NEAR);
    this.actual.disabled = Math.abs(this.scale - 1) < NEAR;
  }

  #wheel(event) {
    const zooms = event.ctrlKey || event.metaKey || (this.looks && !event.shiftKey); // two fingers on a pad come with Ctrl
    if (!zooms) return;
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const finer = event.ctrlKey ? 4 : 1;
    this.by(Math.exp(-event.deltaY * lines * finer * WHEEL), { x: event.clientX, y: event.clientY });
  }

  _down(event) {
    const at = { x: event.clientX, y: event.clientY };
    if (event.pointerType === "touch") this.#touches.set(event.pointerId, at);
    if (this.#touches.size === 2) {
      event.stopPropagation();
      this.interrupted();
      this.#pan = null;
      this.#pinch = { ...spread([...this.#touches.values()]), scale: this.scale };
      return;
    }
    const moves = this.looks || this.#space || event.button === 1;
    if (!moves || this.#touches.size > 2) return;
    event.stopPropagation();
    if (event.button === 1) event.preventDefault();
    this.stage.setPointerCapture(event.pointerId);
    this.#pan = { ...at, begun: at, left: this.stage.scrollLeft, top: this.stage.scrollTop };
  }

  _move(event) {
    const at = { x: event.clientX, y: event.clientY };
    if (this.#touches.has(event.pointerId)) this.#touches.set(event.pointerId, at);
    if (this.#pinch) {
      event.stopPropagation();
      const { distance, middle } = spread([...this.#touches.values()]);
      this.to((this.#pinch.scale * distance) / this.#pinch.distance, this.#pinch.middle);
      this.stage.scrollLeft += this.#pinch.middle.x - middle.x;
      this.stage.scrollTop += this.#pinch.middle.y - middle.y;
      this.#pinch.middle = middle;
    } else if (this.#pan) {
      event.stopPropagation();
      this.stage.scrollLeft = this.#pan.left + this.#pan.begun.x - at.x;
      this.stage.scrollTop = this.#pan.top + this.#pan.begun.y - at.y;
    }
  }

  _up(event) {
    this.#touches.delete(event.pointerId);
    if (this.#pinch) {
      event.stopPropagation();
      if (this.#touches.size < 2) this.#pinch = null;
    } else if (this.#pan) {
      event.stopPropagation();
      const { begun } = this.#pan;
      this.#pan = null;
      const isClick = Math.hypot(event.clientX - begun.x, event.clientY - begun.y) < CLICK;
      if (isClick && this.looks && event.type === "pointerup") this.isFit ? this.to(Math.max(1, 2 * this.scale), begun) : this.fit();
    }
  }
}

function spread([one, other]) {
  return { distance: Math.hypot(one.x - other.x, one.y - other.y) || 1, middle: { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 } };
}
