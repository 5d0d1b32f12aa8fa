// What a text changes against another, in one column.
import { unifiedMergeView } from "@codemirror/merge";
import { EditorView, view } from "./codemirror.js";

/** Show `text` against `before`; where it may be edited, `changed` hears each text, and changes can be taken back. */
export function openDiff(parent, { before, text, label, changed }) {
  const extensions = [unifiedMergeView({ original: before, mergeControls: Boolean(changed), gutter: true, allowInlineDiffs: false })];
  if (changed) extensions.push(EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString())));
  const open = view(parent, { text, label, editable: Boolean(changed), extensions });
  return {
    close: () => open.destroy(),
    put: (next) => open.dispatch({ changes: { from: 0, to: open.state.doc.length, insert: next } }),
  };
}
