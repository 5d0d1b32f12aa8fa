// The versions page: two texts side by side, or in one column where there is no room; and restoring one.
import { markdown } from "@codemirror/lang-markdown";
import { syntaxHighlighting } from "@codemirror/language";
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { colours, nonce, theme } from "../parts/codemirror.js";
import { Refused, once, post } from "../parts/api.js";
import { ask } from "../parts/asking.js";
import { tell, tellError } from "../parts/messages.js";
import { say } from "../parts/strings.js";

const read = (id) => JSON.parse(document.getElementById(id).textContent);
const texts = read("texts");
const context = read("context");
const collapseUnchanged = { margin: 3, minSize: 5 };

const changed = EditorView.theme({
  "&": { border: "0", borderRadius: "0" },
  "&.cm-merge-a .cm-changedLine, .cm-deletedChunk": { backgroundColor: "var(--bad-soft)" },
  "&.cm-merge-a .cm-changedText, .cm-deletedText": { background: "color-mix(in srgb, var(--bad) 22%, transparent)" },
  ".cm-collapsedLines": { background: "var(--sunken)", color: "var(--ink)", padding: ".3rem .8rem" },
  ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: '"⋯"' },
  ".cm-gutters": { background: "transparent", border: "0" },
});

function reading(label) {
  return [
    EditorView.cspNonce.of(nonce),
    EditorView.lineWrapping,
    EditorView.editable.of(false),
    EditorState.readOnly.of(true),
    EditorState.phrases.of({ "$ unchanged lines": say("lines-unchanged") }),
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
    markdown(),
    syntaxHighlighting(colours),
    theme,
    changed,
  ];
}

const place = document.querySelector("[data-merge]");
const isRoomy = matchMedia("(min-width: 60rem)");
let open;

function compare() {
  open?.destroy();
  const [before, after] = [context.old, context.new].map((number) => say("version-number", { number }));
  open = isRoomy.matches
    ? new MergeView({ parent: place, a: { doc: texts.before, extensions: reading(before) }, b: { doc: texts.after, extensions: reading(after) }, collapseUnchanged, gutter: true })
    : new EditorView({ parent: place, doc: texts.after, extensions: [reading(after), unifiedMergeView({ original: texts.before, mergeControls: false, collapseUnchanged })] });
}

if (place) {
  compare();
  isRoomy.addEventListener("change", compare);
}

async function restore(button) {
  const number = Number(button.dataset.restore);
  if (!(await ask({ title: say("restore-title", { number }), text: say("restore-what", { number, newest: context.newest }), yes: say("restore-yes") }))) return undefined;
  button.disabled = true;
  try {
    const made = await post(`instructions/${context.instruction_id}/restore`, { version: number, base_version: context.newest }, { key: once() });
    if (made.version !== context.newest) return location.assign(`${location.pathname}?from=${context.newest}&to=${made.version}`);
    button.disabled = false;
    tell(say("restore-same", { number, newest: context.newest }));
  } catch (error) {
    button.disabled = false;
    if (error instanceof Refused && error.code === "VERSION_CONFLICT") {
      if (await ask({ title: say("restore-conflict"), text: say("restore-conflict-what"), yes: say("restore-look") })) location.assign(location.pathname);
      return undefined;
    }
    tellError(error);
  }
  return undefined;
}

for (const button of document.querySelectorAll("[data-restore]")) button.addEventListener("click", () => restore(button));
