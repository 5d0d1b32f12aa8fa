// The text of a block, open to be written: as it looks, or as its Markdown, as who writes likes it.
import { make } from "../parts/elements.js";
import { stored } from "../parts/storage.js";
import { say } from "../parts/strings.js";
import { isRepresentable } from "./rich/markdown.js";
import { openRich } from "./rich/view.js";

const KEY = "guidesmith:writing";
const MARKDOWN = "markdown";

let source = null; // its module, once it is there
let preferred = stored(() => localStorage.getItem(KEY), null);

/**
 * Open a block's text in `parent`. What cannot be shown as it looks without a loss is open as its Markdown.
 * @param {object} options what `openRich` and `openSource` take; `looks` is told whether it is open as it looks
 */
export function openWriter(parent, options) {
  let { text } = options;
  const holder = make("div", { class: "written" });
  parent.prepend(holder);
  const changed = (next) => options.changed((text = next));
  let open = null; // while the other editor is on its way

  async function begin(where) {
    const canLook = isRepresentable(text);
    const isRich = canLook && preferred !== MARKDOWN;
    options.looks(isRich);
    const asked = () => ({ ...options, ...where, text, changed });
    if (isRich) {
      open = openRich(holder, { ...asked(), markdown: () => turn(MARKDOWN) });
      return;
    }
    source ??= await import("./source.js"); // most never open it
    if (!holder.isConnected) return;
    holder.replaceChildren(modes(canLook));
    open = source.openSource(holder, asked());
  }

  function end() {
    const look = open?.close();
    open = null;
    holder.replaceChildren();
    return look;
  }

  function turn(way) {
    preferred = way;
    stored(() => localStorage.setItem(KEY, way)); // else it is so on this page only
    end();
    return begin({ point: undefined });
  }

  /** Above the Markdown: the way back, or why there is none. */
  function modes(canLook) {
    if (!canLook) return make("p", { class: "hint" }, say("writer-only-markdown"));
    const looks = { type: "button", class: "stroke words end", onclick: () => turn("looks") };
    return make("div", { class: "writer-tools" }, make("button", looks, say("writer-looks")));
  }

  begin();
  return {
    divide: () => open?.divide(),
    focus: () => open?.focus(),
    /** @returns {DocumentFragment | undefined} the text as it looked last, where it was open so */
    close() {
      const look = end();
      holder.remove();
      options.looks(false);
      return look;
    },
    put(next) {
      if (next === text) return;
      text = next;
      if (open?.put(next) === false) end(), begin();
    },
  };
}
