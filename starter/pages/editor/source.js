// The Markdown of one block, open to be written. It keeps no history of its own: the document's undoes it.
import { EditorView, keymap, view } from "../parts/codemirror.js";

const MINE = "guidesmith";

/**
 * Open `text` in `parent`.
 * @param {{text: string, label: string, atStart?: boolean, changed: (text: string) => void,
 *   split: (first: string, second: string) => void, leave: () => void}} options
 */
export function openSource(parent, { text, label, atStart = false, changed, split, leave }) {
  const divide = ({ doc, selection: { main } }) => (split(doc.sliceString(0, main.head), doc.sliceString(main.head)), true);
  const commands = keymap.of([
    { key: "Escape", run: () => (leave(), true) },
    { key: "Mod-Enter", run: ({ state }) => divide(state) },
    { key: "Mod-b", run: (each) => wrap(each, "**") },
    { key: "Mod-i", run: (each) => wrap(each, "*") },
  ]);
  const heard = EditorView.updateListener.of((update) => {
    const typed = update.transactions.some((each) => each.docChanged && !each.isUserEvent(MINE));
    if (typed) changed(update.state.doc.toString());
  });
  const open = view(parent, { text, label, at: atStart ? 0 : text.length, extensions: [commands, heard, typedOver] });
  open.focus();
  return {
    divide: () => divide(open.state),
    focus: () => open.focus(),
    close: () => open.destroy(),
    /** Another text, as by undoing; the cursor stays with what stays. */
    put(next) {
      const now = open.state.doc.toString();
      if (now === next) return;
      let from = 0;
      while (from < Math.min(now.length, next.length) && now[from] === next[from]) from++;
      let tail = 0;
      while (tail < Math.min(now.length, next.length) - from && now.at(-1 - tail) === next.at(-1 - tail)) tail++;
      open.dispatch({ changes: { from, to: now.length - tail, insert: next.slice(from, next.length - tail) }, userEvent: MINE, scrollIntoView: true });
    },
  };
}

/** A browser that puts typed text in the place of other text gives it that one's look, by a style that no page of ours
 * lets in. */
const typedOver = EditorView.domEventHandlers({
  beforeinput(event, open) {
    if (event.inputType !== "insertText" || !event.data || event.isComposing || open.state.selection.main.empty) return false;
    event.preventDefault();
    open.dispatch(open.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

function wrap({ state, dispatch }, mark) {
  const { from, to } = state.selection.main;
  const inner = state.sliceDoc(from, to);
  const bare = inner.length > 2 * mark.length && inner.startsWith(mark) && inner.endsWith(mark);
  const insert = bare ? inner.slice(mark.length, -mark.length) : mark + inner + mark;
  const selection = bare ? { anchor: from, head: from + insert.length } : { anchor: from + mark.length, head: to + mark.length };
  dispatch(state.update({ changes: { from, to, insert }, selection, userEvent: "input" }));
  return true;
}
