// CodeMirror as the editor uses it: Markdown, the pages' colours, no inline style without the page's nonce.
import { defaultKeymap } from "@codemirror/commands";
import { markdown } from "@codemirror/lang-markdown";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightSpecialChars, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export const nonce = document.querySelector("meta[name=csp-nonce]").content;

export const theme = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--surface)", fontSize: ".95rem", border: "1px solid var(--edge)", borderRadius: "8px" },
  "&.cm-focused": { outline: "3px solid var(--accent)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6" },
  ".cm-content": { caretColor: "var(--ink)", padding: ".6rem 0" },
  ".cm-line": { padding: "0 .8rem" },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--accent-soft)" },
  "&.cm-merge-b .cm-changedLine, .cm-inlineChangedLine": { backgroundColor: "var(--good-soft)" },
  "&.cm-merge-b .cm-changedText, .cm-insertedLine": { background: "color-mix(in srgb, var(--good) 22%, transparent)" },
  ".cm-deletedChunk": { backgroundColor: "var(--bad-soft)", paddingLeft: ".8rem" },
  ".cm-deletedChunk .cm-deletedText, .cm-deletedLine del": { background: "color-mix(in srgb, var(--bad) 18%, transparent)", textDecoration: "line-through" },
  ".cm-deletedChunk .cm-chunkButtons button": { color: "var(--ink)", border: "1px solid var(--edge)", borderRadius: "8px", minHeight: "1.75rem" },
  ".cm-changeGutter": { width: "4px", paddingLeft: "0" },
  "&.cm-merge-b .cm-changedLineGutter": { background: "var(--good)" },
  ".cm-deletedLineGutter": { background: "var(--bad)" },
});

export const colours = HighlightStyle.define([
  { tag: tags.heading, fontWeight: "700" },
  { tag: tags.strong, fontWeight: "700" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: [tags.link, tags.url], color: "var(--accent)" },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.comment], color: "var(--faint)" },
  { tag: tags.monospace, color: "var(--accent-strong)" },
]);

/** A view of `text` in `parent`. */
export function view(parent, { text, label, extensions = [], editable = true, at }) {
  const state = EditorState.create({
    doc: text,
    selection: at === undefined ? undefined : { anchor: Math.min(at, text.length) },
    extensions: [
      extensions,
      keymap.of(defaultKeymap),
      highlightSpecialChars(),
      drawSelection(),
      EditorView.lineWrapping,
      EditorView.cspNonce.of(nonce),
      EditorView.editable.of(editable),
      EditorState.readOnly.of(!editable),
      EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "true", tabindex: "0" }),
      markdown(),
      syntaxHighlighting(colours),
      theme,
    ],
  });
  return new EditorView({ state, parent });
}

export { EditorView, keymap };
