// The menu behind "/": what can be put where an empty line is, found by typing on.
import { Plugin } from "prosemirror-state";
import { deeds } from "./commands.js";

let count = 0;

/** @param {{picture?: () => void}} others what is no command of the text */
export function slash(others) {
  return new Plugin({
    view: (view) => new Menu(view, others),
    props: {
      handleKeyDown(view, event) {
        return menus.get(view)?.hear(event) ?? false;
      },
    },
  });
}

const menus = new WeakMap();

class Menu {
  #view;
  #others;
  #list;
  #dismissed = null; // where the menu was closed: it stays so while the cursor is there

  constructor(view, others) {
    this.#view = view;
    this.#others = others;
    this.#list = document.getElementById("slash-template").content.firstElementChild.cloneNode(true);
    this.#list.id = `slash-${++count}`;
    for (const item of this.#items) item.id = `${this.#list.id}-${item.dataset.rich}`;
    this.#list.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      const item = event.target.closest("[data-rich]");
      if (item) this.#pick(item);
    });
    menus.set(view, this);
  }

  get #items() {
    return [...this.#list.querySelectorAll("[data-rich]")];
  }

  get #shown() {
    return this.#items.filter((each) => !each.hidden);
  }

  /** What is typed behind the slash, or null where no menu belongs. */
  get #asked() {
    const { selection } = this.#view.state;
    const { $from } = selection;
    if (!selection.empty || $from.parent.type.name !== "paragraph") return null;
    const before = $from.parent.textBetween(0, $from.parentOffset, "\n", "\n");
    if ($from.parentOffset !== $from.parent.content.size) return null;
    return /^\/([^\s/]*)$/.exec(before)?.[1] ?? null;
  }

  update() {
    const asked = this.#view.hasFocus() ? this.#asked : null;
    const at = this.#view.state.selection.$from.start();
    if (asked === null) this.#dismissed = null;
    if (asked === null || this.#dismissed === at) return this.#close();
    for (const item of this.#items) item.hidden = !item.textContent.toLowerCase().split(/\s+/).some((word) => word.startsWith(asked.toLowerCase()));
    if (this.#shown.length === 0) return this.#close();
    if (!this.#list.isConnected) this.#view.dom.parentElement.append(this.#list);
    this.#choose(this.#shown.find((each) => each.ariaSelected === "true") ?? this.#shown[0]);
    const { left, bottom } = this.#view.coordsAtPos(at);
    const around = this.#list.offsetParent.getBoundingClientRect();
    this.#list.style.left = `${left - around.left}px`;
    this.#list.style.top = `${bottom - around.top + 4}px`;
    return undefined;
  }

  destroy() {
    this.#close();
    menus.delete(this.#view);
  }

  hear(event) {
    if (!this.#list.isConnected || event.isComposing) return false;
    const shown = this.#shown;
    const place = shown.findIndex((each) => each.ariaSelected === "true");
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) this.#choose(shown[(place + step + shown.length) % shown.length]);
    else if (event.key === "Enter" || event.key === "Tab") this.#pick(shown[place]);
    else if (event.key === "Escape") (this.#dismissed = this.#view.state.selection.$from.start()), this.#close();
    else return false;
    return true;
  }

  #choose(item) {
    for (const each of this.#items) each.ariaSelected = String(each === item);
    item.scrollIntoView({ block: "nearest" });
    this.#view.dom.setAttribute("aria-activedescendant", item.id);
    this.#view.dom.setAttribute("aria-controls", this.#list.id);
  }

  #pick({ dataset }) {
    const view = this.#view;
    const { $from } = view.state.selection;
    this.#close();
    view.dispatch(view.state.tr.delete($from.start(), $from.pos));
    const other = this.#others[dataset.rich];
    if (other) other();
    else deeds[dataset.rich](view.state, view.dispatch);
  }

  #close() {
    this.#list.remove();
    this.#view.dom.removeAttribute("aria-activedescendant");
    this.#view.dom.removeAttribute("aria-controls");
  }
}
