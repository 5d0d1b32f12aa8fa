// What a text changes against another, in one column.
import { unifiedMergeView } from "@codemirror/merge";
import { make } from "../../parts/elements.js";
import { say } from "../../parts/strings.js";
import { EditorView, view } from "../../parts/codemirror.js";

const CHOICES = { accept: "conflict-mine", reject: "conflict-theirs" };

/** Show `text` against `before`; where it may be edited, `changed` hears each text, and each change can be settled. */
export function openDiff(parent, { before, text, label, changed }) {
  const extensions = [unifiedMergeView({ original: before, mergeControls: changed ? (type, act) => control(type, (event) => (act(event), changed(open.state.doc.toString()))) : false, gutter: true, allowInlineDiffs: false })];
  if (changed) extensions.push(EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString())));
  const open = view(parent, { text, label, editable: Boolean(changed), extensions });
  return {
    close: () => open.destroy(),
    put: (next) => open.dispatch({ changes: { from: 0, to: open.state.doc.length, insert: next } }),
  };
}

const control = (type, onclick) => make("button", { class: "button small", type: "button", onclick }, say(CHOICES[type]));
