// The text of one block, open to be written as it looks. It keeps no history of its own: the document's undoes it.
import { baseKeymap, chainCommands, exitCode, toggleMark } from "prosemirror-commands";
import { InputRule, inputRules, textblockTypeInputRule, wrappingInputRule } from "prosemirror-inputrules";
import { keymap } from "prosemirror-keymap";
import { liftListItem, sinkListItem, splitListItem } from "prosemirror-schema-list";
import { EditorState, Plugin, Selection, TextSelection } from "prosemirror-state";
import { goToNextCell, isInTable, tableEditing } from "prosemirror-tables";
import { EditorView } from "prosemirror-view";
import { deeds, linked } from "./commands.js";
import { LOWEST_OPENING, Source, isRepresentable, schema, serialized } from "./markdown.js";
import { address, fitting, plainText, unstyled } from "./paste.js";
import { slash } from "./slash.js";
import { toolbar } from "./toolbar.js";

const { nodes, marks } = schema;
const MINE = "guidesmith"; // a change that comes from the document, not from who writes

/**
 * Open `text`, which is representable, in `parent`.
 * @param {{text: string, label: string, language?: string, point?: {left: number, top: number}, atStart?: boolean,
 *   changed: (text: string) => void, split: (first: string, second: string) => void, leave: () => void, undo: () => void,
 *   redo: () => void, markdown: () => void, picture: () => void}} options `point`: where the cursor goes, in pixels from the text's corner
 */
export function openRich(parent, { text, label, language, point, atStart = false, changed, split, leave, undo, redo, markdown, picture }) {
  let source = new Source(text);
  let bar;
  const divide = (state) => {
    const { from, to } = state.selection;
    const { doc } = state;
    split(half(doc, 0, from), half(doc, to, doc.content.size));
    return true;
  };
  const half = (doc, from, to) => (isBlank(doc, from, to) ? "" : source.render(doc.cut(from, to)));
  const view = new EditorView(parent, {
    state: EditorState.create({ doc: source.doc, plugins: [slash({ picture }), keys({ divide, leave, undo, redo, link: () => (bar.ask(), true) }), keymap(baseKeymap), rules, tableEditing(), sunken] }),
    attributes: { ...(language && { lang: language }), "aria-label": label, role: "textbox", "aria-multiline": "true", spellcheck: "true", class: "prose" },
    transformPastedHTML: unstyled,
    transformPasted: fitting,
    clipboardTextParser: (pasted, context, isPlain) => (context.parent.type.spec.code ? undefined : plainText(pasted, isPlain)),
    handlePaste: linkedTo,
    clipboardTextSerializer: (slice) => serialized(nodes.doc.create(null, slice.content)),
    handleDOMEvents: { beforeinput: typedOver },
    dispatchTransaction(change) {
      const isMine = change.getMeta(MINE);
      view.updateState(view.state.apply(change));
      bar?.show();
      if (change.docChanged && !isMine) changed(source.render(view.state.doc));
    },
  });
  bar = toolbar(view, { markdown });
  parent.prepend(bar.bar);
  const place = point && view.posAtCoords(onScreen(view.dom, point))?.pos;
  const edge = atStart ? Selection.atStart(view.state.doc) : Selection.atEnd(view.state.doc);
  const selection = typeof place === "number" ? TextSelection.near(view.state.doc.resolve(place)) : edge;
  view.dispatch(view.state.tr.setSelection(selection));
  view.focus();
  return {
    divide: () => divide(view.state),
    focus: () => view.focus(),
    close() {
      const look = document.createRange();
      look.selectNodeContents(view.dom);
      const shown = look.cloneContents();
      view.destroy();
      return shown;
    },
    /** Another text, as by undoing; the cursor stays with what stays. `false`: it cannot be shown here. */
    put(next) {
      if (next === source.render(view.state.doc)) return true;
      if (!isRepresentable(next)) return false;
      source = new Source(next);
      const { doc } = source;
      const from = view.state.doc.content.findDiffStart(doc.content);
      const change = view.state.tr.setMeta(MINE, true);
      if (from !== null) {
        let { a, b } = view.state.doc.content.findDiffEnd(doc.content);
        const overlap = from - Math.min(a, b);
        if (overlap > 0) (a += overlap), (b += overlap);
        change.replace(from, a, doc.slice(from, b));
      }
      view.updateState(view.state.apply(change));
      // the nodes that stayed are the old ones: their source is known by the new ones'
      source.rebase(view.state.doc);
      bar.show();
      return true;
    },
  };
}

/** Whether nothing is to be seen between two places: the rest of a list or table that is cut has empty items. */
function isBlank(doc, from, to) {
  let isEmpty = true;
  doc.nodesBetween(from, to, (node, at) => {
    if (node.isText) isEmpty &&= !node.text.slice(Math.max(0, from - at), to - at).trim();
    else if (node.isLeaf) isEmpty &&= node.type === nodes.hard_break || at < from;
  });
  return isEmpty;
}

function onScreen(element, { left, top }) {
  const box = element.getBoundingClientRect();
  const { paddingLeft, paddingTop } = getComputedStyle(element);
  return { left: box.left + Number.parseFloat(paddingLeft) + left, top: box.top + Number.parseFloat(paddingTop) + top };
}

function keys({ divide, leave, undo, redo, link }) {
  const item = nodes.list_item;
  const breakLine = (state, dispatch) => {
    if (state.selection.$from.parent.type.name === "heading") return false;
    dispatch?.(state.tr.replaceSelectionWith(nodes.hard_break.create()).scrollIntoView());
    return true;
  };
  return keymap({
    Escape: () => (leave(), true),
    "Mod-a": wholeText,
    "Mod-z": () => (undo(), true),
    "Mod-Shift-z": () => (redo(), true),
    "Mod-y": () => (redo(), true),
    "Mod-Enter": divide,
    "Mod-b": toggleMark(marks.strong),
    "Mod-i": toggleMark(marks.em),
    "Mod-e": toggleMark(marks.code),
    "Mod-Shift-x": toggleMark(marks.struck),
    "Mod-k": link,
    "Mod-Shift-7": deeds.numbers,
    "Mod-Shift-8": deeds.bullets,
    "Mod-Shift-9": deeds.quote,
    Enter: chainCommands(inTable(goToNextCell(1)), splitListItem(item)),
    "Shift-Enter": chainCommands(exitCode, breakLine),
    Tab: chainCommands(goToNextCell(1), sinkListItem(item)),
    "Shift-Tab": chainCommands(goToNextCell(-1), liftListItem(item)),
  });
}

/** All of the text, without the node around it: what is typed then is still a heading where one began. */
function wholeText({ doc, tr }, dispatch) {
  dispatch?.(tr.setSelection(TextSelection.between(doc.resolve(0), doc.resolve(doc.content.size))));
  return true;
}

/** In a table only: what would be a new line in a cell, which Markdown does not have, leads on. */
const inTable = (command) => (state, dispatch, view) => isInTable(state) && (command(state, dispatch, view) || true);

const marked = (pattern, mark) =>
  new InputRule(pattern, (state, [all, inner], start, end) => {
    if (state.doc.rangeHasMark(start, end, marks.code)) return null;
    const lead = all.indexOf(inner) - markLength(mark);
    const change = state.tr.replaceWith(start + lead, end, schema.text(inner, [...state.selection.$from.marks(), mark.create()]));
    return change.removeStoredMark(mark);
  });
const markLength = (mark) => (mark === marks.strong ? 2 : 1);

const rules = inputRules({
  rules: [
    textblockTypeInputRule(/^(#{1,6})\s$/, nodes.heading, ([, level]) => ({ level: level.length })),
    wrappingInputRule(/^\s*([-+*])\s$/, nodes.bullet_list, { tight: true }),
    wrappingInputRule(/^(\d{1,9})[.)]\s$/, nodes.ordered_list, ([, order]) => ({ order: Number(order), tight: true })),
    wrappingInputRule(/^\s*>\s$/, nodes.blockquote),
    textblockTypeInputRule(/^```$/, nodes.code_block),
    marked(/(?:^|[^*])\*\*([^*\s](?:[^*]*[^*\s])?)\*\*$/, marks.strong),
    marked(/(?:^|[\s(])\*([^*\s](?:[^*]*[^*\s])?)\*$/, marks.em),
    marked(/(?:^|[^`])`([^`]+)`$/, marks.code),
  ],
});

/** A heading within a block is never as high as one that begins a block, however it came there. */
const sunken = new Plugin({
  appendTransaction(changes, _, state) {
    if (!changes.some((each) => each.docChanged)) return null;
    const change = state.tr;
    state.doc.forEach((node, at, place) => {
      if (place > 0 && node.type === nodes.heading && node.attrs.level <= LOWEST_OPENING) change.setNodeMarkup(at, null, { level: LOWEST_OPENING + 1 });
    });
    return change.docChanged ? change : null;
  },
});

/** A browser that puts typed text in the place of other text gives it that one's look, by a style that no page of ours
 * lets in. */
function typedOver(view, event) {
  if (event.inputType !== "insertText" || !event.data || event.isComposing || view.state.selection.empty) return false;
  event.preventDefault();
  view.dispatch(view.state.tr.replaceSelectionWith(schema.text(event.data, view.state.selection.$from.marksAcross(view.state.selection.$to) ?? []), false).scrollIntoView());
  return true;
}

/** An address that is pasted is a link: of the words that are selected, or its own. */
function linkedTo(view, event) {
  const { empty, $from } = view.state.selection;
  const href = address(event.clipboardData);
  const isText = empty && event.clipboardData.types.includes("text/html"); // it has words of its own
  if (!href || isText || $from.parent.type.spec.code) return false;
  linked(href)(view.state, view.dispatch);
  view.dispatch(view.state.tr.setSelection(Selection.near(view.state.selection.$to, -1)));
  return true;
}
