// The dialog in which people draw on a picture: by mouse, pen or finger, and the same by the keyboard alone. What they
// see is a preview; the picture itself is drawn by the server, which destroys what a blur covers.
import { get, post } from "../parts/api.js";
import { ask, shown } from "../parts/asking.js";
import { Board } from "./drawing/board.js";
import { COLOURS, HIGHEST_NUMBER, LONGEST_LABEL, STRENGTHS, TOOLS, WIDTHS, bounds, isSaid, sent, styled } from "./drawing/operations.js";
import { freshId, make } from "../parts/elements.js";
import { say } from "../parts/strings.js";
import { Zoom } from "./zoom.js";

const KEYS = { ring: "r", crop: "c", blur: "b", arrow: "a", marker: "m", pencil: "p", outline: "o", number: "n", text: "t", choose: "v" };

/**
 * Let somebody draw on one of an anchor's pictures. Where it is a drawing, what is drawn on it can be changed.
 * @param {{anchor: {id: string}, asset: {id: string, image_uri: string, width: number, height: number}}} shows
 * @returns {Promise<object|null>} the picture that shows now, or null where nothing was drawn
 */
export async function openAnnotator({ anchor, asset }) {
  const base = asset.operations?.length ? anchor.assets.find(({ id }) => id === asset.rendered_from_asset_id) : undefined;
  return new Annotator(anchor, base ?? asset, base ? asset.operations : []).result();
}

class Annotator {
  #chosen = { color: COLOURS[0], width: WIDTHS.medium, strength: STRENGTHS.medium, whole: false };
  #drawn = null;

  constructor(anchor, asset, operations) {
    this.anchor = anchor;
    this.asset = asset;
    this.before = operations;
    this.board = new Board(asset, { changed: () => this.#show(), style: (tool) => styled(tool, this.#chosen), made: (operation) => this.#made(operation) }, operations);
    this.stage = make("div", { class: "stage" }, this.board.canvas);
    this.zoom = new Zoom(this.stage, this.board.canvas, { width: asset.width, interrupted: () => this.board.stop() });
    this.dialog = this.#built();
    this.dialog.addEventListener("keydown", (event) => this.#key(event));
    this.dialog.addEventListener("keyup", (event) => event.key === " " && this.zoom.key(event));
    this.dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.#leave();
    });
  }

  async result() {
    const closed = shown(this.dialog);
    this.#use(this.before.length ? "choose" : "blur");
    const first = document.activeElement;
    try {
      await this.board.load();
      if (document.activeElement === first) this.board.canvas.focus(); // who writes words already goes on
    } catch {
      this.#fail(say("picture-lost"));
    }
    await closed;
    this.board.end();
    this.zoom.end();
    return this.#drawn;
  }

  // --- what it is made of

  #built() {
    const id = freshId("annotator");
    const button = (name, action, attributes = {}) => make("button", { class: "button small", type: "button", onclick: action, ...attributes }, say(name));
    this.undoButton = button("undo", () => this.board.undo());
    this.redoButton = button("redo", () => this.board.redo());
    this.addButton = button("draw-add", () => this.board.add(), { title: say("draw-add-hint") });
    this.removeButton = button("draw-remove", () => this.board.remove());
    this.saveButton = make("button", { class: "button primary", type: "button", onclick: () => this.#save() }, say("draw-save"));
    this.failure = make("p", { class: "notice bad", role: "alert", hidden: true });
    this.list = make("ol", { class: "drawn", "aria-label": say("draw-list") });
    this.none = make("p", { class: "hint" }, say("draw-none"));
    return make(
      "dialog",
      { class: "pictures", "aria-labelledby": id },
      make("h2", { id }, say("draw-title")),
      make("div", { class: "drawing-tools" }, this.#tools(), this.#style(), make("div", { class: "row" }, this.addButton, this.removeButton, this.undoButton, this.redoButton), this.zoom.tools),
      make("div", { class: "drawing-desk" }, this.stage, make("div", { class: "drawing-side" }, make("h3", {}, say("draw-list")), this.none, this.list)),
      make("p", { class: "hint" }, say("draw-keys")),
      this.failure,
      make("div", { class: "row ends" }, this.saveButton, make("button", { class: "button", type: "button", onclick: () => this.#leave() }, say("cancel"))),
    );
  }

  #tools() {
    const group = freshId("tool");
    this.radios = Object.fromEntries(
      ["choose", ...TOOLS].map((tool) => [tool, make("input", { type: "radio", name: group, value: tool, onchange: () => this.#use(tool) })]),
    );
    const labels = Object.entries(this.radios).map(([tool, radio]) =>
      make("label", { class: "tool", title: `${say(`draw-tool-${tool}`)} (${KEYS[tool].toUpperCase()})` }, radio, make("span", {}, say(`draw-tool-${tool}`))),
    );
    return make("fieldset", { class: "tools" }, make("legend", { class: "unseen" }, say("draw-tools")), ...labels);
  }

  #style() {
    const group = freshId("colour");
    const swatches = COLOURS.map((color) => {
      const radio = make("input", { type: "radio", name: group, value: color, checked: color === this.#chosen.color, onchange: () => this.#restyle({ color }), "aria-label": say("draw-colour-name", { color: say(`colour-${color.slice(1)}`) }) });
      const label = make("label", { class: "swatch", title: say(`colour-${color.slice(1)}`) }, radio, make("span", {}));
      label.lastChild.style.background = color;
      return label;
    });
    const own = make("input", { type: "color", value: COLOURS[0], "aria-label": say("draw-colour-own"), title: say("draw-colour-own"), oninput: () => this.#restyle({ color: own.value }) });
    this.colours = make("fieldset", { class: "swatches" }, make("legend", { class: "unseen" }, say("draw-colour")), ...swatches, own);
    this.width = this.#select("draw-width", WIDTHS, "width");
    this.strength = this.#select("draw-strength", STRENGTHS, "strength");
    this.words = make("textarea", { rows: 1, maxlength: LONGEST_LABEL, oninput: () => this.board.reword({ text: this.words.value }), onkeydown: (event) => this.#said(event) });
    this.number = make("input", { type: "number", min: 1, max: HIGHEST_NUMBER, oninput: () => this.number.checkValidity() && this.number.value && this.board.reword({ number: this.number.valueAsNumber }) });
    this.label = make("label", { class: "row small", hidden: true }, make("span", {}, say("draw-words")), this.words);
    this.counted = make("label", { class: "row small", hidden: true }, make("span", {}, say("draw-number")), this.number);
    this.whole = make("input", { type: "checkbox", onchange: () => this.#restyle({ whole: this.whole.checked }) });
    const opens = make("label", { class: "row small" }, this.whole, make("span", {}, say("draw-whole")));
    return make("div", { class: "row" }, this.colours, this.width, this.strength, opens, this.label, this.counted);
  }

  #select(name, values, part) {
    const select = make("select", { onchange: () => this.#restyle({ [part]: Number(select.value) }) });
    for (const [value, amount] of Object.entries(values)) {
      select.append(make("option", { value: amount, selected: amount === this.#chosen[part] }, say(`${name}-${value}`)));
    }
    return make("label", { class: "row small" }, make("span", {}, say(name)), select);
  }

  // --- what happens in it

  #use(tool) {
    this.radios[tool].checked = true;
    this.board.use(tool);
  }

  #restyle(part) {
    Object.assign(this.#chosen, part);
    this.board.restyle(this.#chosen);
  }

  #show() {
    const { history, chosen, tool } = this.board;
    const kind = chosen === null ? tool : history.now[chosen].op_type;
    this.colours.disabled = kind === "blur" || kind === "crop"; // what does not count stays where it is: nothing jumps
    this.width.control.disabled = ["blur", "marker", "crop", "text", "number"].includes(kind);
    const said = chosen === null ? null : history.now[chosen];
    this.label.hidden = said?.op_type !== "text";
    this.counted.hidden = said?.op_type !== "number";
    if (!this.label.hidden && this.words.value !== said.text) this.words.value = said.text;
    if (!this.counted.hidden && this.number.value !== String(said.number)) this.number.value = String(said.number);
    this.whole.disabled = kind !== "crop";
    if (chosen !== null && kind === "crop") this.whole.checked = this.#chosen.whole = history.now[chosen].style.whole;
    this.strength.control.disabled = kind !== "blur" && kind !== "choose";
    this.addButton.disabled = tool === "choose" || !this.board.loaded;
    this.removeButton.disabled = chosen === null;
    this.undoButton.disabled = !history.canUndo;
    this.redoButton.disabled = !history.canRedo;
    this.saveButton.disabled = !this.#changed;
    this.none.hidden = history.now.length > 0;
    this.#list();
  }

  get #changed() {
    return this.board.history.now !== this.before && this.board.history.now.length + this.before.length > 0;
  }

  /** Something was added: what says something is written at once. */
  #made({ op_type: type }) {
    if (type !== "text") return;
    this.words.focus();
    this.words.select();
  }

  /** Enter and Escape lead back to the picture; Shift with Enter begins a line. */
  #said(event) {
    if (event.key !== "Escape" && (event.key !== "Enter" || event.shiftKey)) return;
    event.preventDefault();
    event.stopPropagation();
    this.board.canvas.focus();
  }

  /** What is there stays there: a press that began on it ends on it, though the picture came in between. */
  #list() {
    const { history, chosen } = this.board;
    while (this.list.childElementCount < history.now.length) {
      const index = this.list.childElementCount;
      this.list.append(make("li", {}, make("button", { type: "button", class: "button quiet small", onclick: () => this.#pick(index) })));
    }
    const left = [...this.list.children].slice(history.now.length);
    const focused = left.some((each) => each.contains(document.activeElement));
    for (const each of left) each.remove();
    history.now.forEach((operation, index) => {
      const button = this.list.children[index].firstChild;
      const words = described(operation);
      if (button.textContent !== words) button.textContent = words;
      button.setAttribute("aria-pressed", String(index === chosen));
    });
    if (focused) this.list.lastElementChild?.firstChild.focus();
  }

  #pick(index) {
    this.#use("choose");
    this.board.choose(index);
    this.board.canvas.focus();
  }

  #key(event) {
    const mod = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    if (mod && (key === "z" || key === "y")) {
      event.preventDefault();
      if (key === "y" || event.shiftKey) this.board.redo();
      else this.board.undo();
      return undefined;
    }
    if (mod || event.altKey || event.target.matches("select, textarea, input[type=color], input[type=number]")) return undefined;
    if ((event.key !== " " || event.target === this.board.canvas) && this.zoom.key(event)) return event.preventDefault();
    const tool = Object.keys(KEYS).find((name) => KEYS[name] === key);
    if (tool === undefined) return undefined;
    event.preventDefault();
    return this.#use(tool);
  }

  async #save() {
    this.saveButton.disabled = true;
    this.failure.hidden = true;
    const operations = this.board.history.now.filter(isSaid).map(sent);
    try {
      const at = `anchors/${this.anchor.id}`; // with nothing on it any more, the picture itself shows
      await (operations.length ? post(`${at}/annotations`, { base_asset_id: this.asset.id, operations }) : post(`${at}/assets/${this.asset.id}/show`));
      const anchor = await get(at);
      this.#drawn = anchor.assets.find(({ id }) => id === anchor.active_asset_id) ?? null;
      this.dialog.close();
    } catch (error) {
      this.#fail(error.code ? error.message : say("failed-unforeseen"));
      this.saveButton.disabled = false;
    }
  }

  async #leave() {
    if (this.#changed && !(await ask({ title: say("draw-discard"), text: say("draw-discard-what"), yes: say("discard"), no: say("draw-go-on"), danger: true }))) return;
    this.dialog.close();
  }

  #fail(text) {
    this.failure.textContent = text;
    this.failure.hidden = false;
  }
}

function described(operation) {
  const box = bounds(operation);
  const per = (part) => Math.round(part * 100);
  return say("draw-described", {
    what: [say(`draw-tool-${operation.op_type}`), operation.number ?? (operation.text && `“${operation.text.split("\n")[0].slice(0, 40)}”`)].filter(Boolean).join(" "),
    left: per(box.left),
    top: per(box.top),
    width: per(box.right - box.left),
    height: per(box.bottom - box.top),
  });
}
