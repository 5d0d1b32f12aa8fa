// What can be done to the text of a block, each by a name that the toolbar, the menu behind "/" and the keys use.
import { lift, setBlockType, toggleMark, wrapIn } from "prosemirror-commands";
import { liftListItem, wrapInList } from "prosemirror-schema-list";
import { TextSelection } from "prosemirror-state";
import { addColumnAfter, addRowAfter, deleteColumn, deleteRow, deleteTable, isInTable } from "prosemirror-tables";
import { LOWEST_OPENING, schema } from "./markdown.js";

const { nodes, marks } = schema;

/** The innermost node of `type` around the selection, or null. */
function around({ selection: { $from } }, ...types) {
  for (let depth = $from.depth; depth > 0; depth--) if (types.includes($from.node(depth).type)) return $from.node(depth);
  return null;
}

/** A list: made, left, or turned into the other kind. */
function list(type) {
  const other = type === nodes.bullet_list ? nodes.ordered_list : nodes.bullet_list;
  return (state, dispatch) => {
    const { $from } = state.selection;
    for (let depth = $from.depth; depth > 0; depth--) {
      const node = $from.node(depth);
      if (node.type === type) return liftListItem(nodes.list_item)(state, dispatch);
      if (node.type !== other) continue;
      dispatch?.(state.tr.setNodeMarkup($from.before(depth), type, { tight: node.attrs.tight }));
      return true;
    }
    return wrapInList(type, { tight: true })(state, dispatch);
  };
}

/** A heading: one that begins the block stays one that does, every other is lower. */
function heading(state, dispatch) {
  if (around(state, nodes.heading)) return setBlockType(nodes.paragraph)(state, dispatch);
  const isFirst = state.selection.$from.index(0) === 0 && state.selection.$from.depth === 1;
  return setBlockType(nodes.heading, { level: isFirst ? LOWEST_OPENING : LOWEST_OPENING + 1 })(state, dispatch);
}

const quote = (state, dispatch) => (around(state, nodes.blockquote) ? lift : wrapIn(nodes.blockquote))(state, dispatch);

const code = (state, dispatch) => setBlockType(around(state, nodes.code_block) ? nodes.paragraph : nodes.code_block)(state, dispatch);

const COLUMNS = 2;
const ROWS = 2;

function table(state, dispatch) {
  if (isInTable(state) || around(state, nodes.code_block)) return false;
  const filled = (type) => Array.from({ length: COLUMNS }, () => type.createAndFill());
  const rows = Array.from({ length: ROWS }, (_, row) => nodes.table_row.create(null, filled(row ? nodes.table_cell : nodes.table_header)));
  return placed(nodes.table.create(null, rows), 4)(state, dispatch);
}

/** `node` behind the paragraph of the cursor, or in its place where that is empty; the cursor `into` places within. */
function placed(node, into) {
  return (state, dispatch) => {
    const { $from } = state.selection;
    if (!$from.depth) return false;
    const isEmpty = $from.parent.isTextblock && $from.parent.content.size === 0;
    const at = isEmpty ? $from.before() : $from.after();
    const holder = $from.node(-1);
    const place = $from.index(-1);
    if (!holder.canReplaceWith(isEmpty ? place : place + 1, place + 1, node.type)) return false;
    if (!dispatch) return true;
    const change = state.tr.replaceWith(at, isEmpty ? $from.after() : at, node);
    const inside = into ?? node.nodeSize;
    if (into === undefined && !change.doc.resolve(at + inside).nodeAfter) change.insert(at + inside, nodes.paragraph.create());
    dispatch(change.setSelection(TextSelection.near(change.doc.resolve(at + inside))).scrollIntoView());
    return true;
  };
}

/** Give what is selected `href`, or the link around the cursor another; without one, no link any more. */
export function linked(href) {
  return (state, dispatch) => {
    const { from, to, empty, $from } = state.selection;
    const range = empty ? extent($from) : { from, to };
    if (!dispatch) return true;
    const change = state.tr;
    if (range) {
      change.removeMark(range.from, range.to, marks.link);
      if (href) change.addMark(range.from, range.to, marks.link.create({ href }));
    } else if (href) {
      change.replaceSelectionWith(schema.text(href, [marks.link.create({ href })]), false);
    }
    dispatch(change);
    return true;
  };
}

/** The address of the link at the cursor, or "". */
export function linkAt({ selection: { $from, from, to, empty }, doc }) {
  if (empty) return marks.link.isInSet($from.marks())?.attrs.href ?? "";
  let found = "";
  doc.nodesBetween(from, to, (node) => void (found ||= marks.link.isInSet(node.marks)?.attrs.href ?? ""));
  return found;
}

function extent($at) {
  const mark = marks.link.isInSet($at.marks());
  if (!mark) return null;
  let [first, last] = [$at.index(), $at.indexAfter()];
  const { parent } = $at;
  while (first > 0 && mark.isInSet(parent.child(first - 1).marks)) first--;
  while (last < parent.childCount && mark.isInSet(parent.child(last).marks)) last++;
  let from = $at.start();
  for (let place = 0; place < first; place++) from += parent.child(place).nodeSize;
  let to = from;
  for (let place = first; place < last; place++) to += parent.child(place).nodeSize;
  return { from, to };
}

export const deeds = {
  bold: toggleMark(marks.strong),
  italic: toggleMark(marks.em),
  code: toggleMark(marks.code),
  struck: toggleMark(marks.struck),
  heading,
  bullets: list(nodes.bullet_list),
  numbers: list(nodes.ordered_list),
  quote,
  codeblock: code,
  table,
  rule: placed(nodes.horizontal_rule.create()),
  row: addRowAfter,
  column: addColumnAfter,
  "row-delete": deleteRow,
  "column-delete": deleteColumn,
  "table-delete": deleteTable,
};

const isMarked = (mark) => (state) => {
  const { from, to, empty, $from } = state.selection;
  return Boolean(empty ? mark.isInSet(state.storedMarks ?? $from.marks()) : state.doc.rangeHasMark(from, to, mark));
};
const isIn = (...types) => (state) => around(state, ...types) !== null;

/** Whether what a deed does is so already where the cursor is; those that can only be done have no entry. */
export const states = {
  bold: isMarked(marks.strong),
  italic: isMarked(marks.em),
  code: isMarked(marks.code),
  struck: isMarked(marks.struck),
  link: isMarked(marks.link),
  heading: isIn(nodes.heading),
  bullets: isIn(nodes.bullet_list),
  numbers: isIn(nodes.ordered_list),
  quote: isIn(nodes.blockquote),
  codeblock: isIn(nodes.code_block),
};

export { isInTable };
