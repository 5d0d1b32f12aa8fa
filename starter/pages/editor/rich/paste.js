// What is pasted, made fit for a block: lists of Word, tables with cells that reach over others, headings that are too
// high, and plain text that is Markdown, the cells of a spreadsheet, or lines.
import { Fragment, Slice } from "prosemirror-model";
import { isInTable } from "prosemirror-tables";
import { LOWEST_OPENING, isRepresentable, parsed, schema } from "./markdown.js";

const { nodes } = schema;

/** Pasted HTML without its styles, which this page would not let in: what they say of the look stands in elements
 * (browsers, Google Docs), and what Word says in them of lists, in lists. Tables have a cell for each place, of one line. */
export function unstyled(html) {
  const bare = html.replace(/<!--[\s\S]*?-->/g, "").replace(/<style\b[\s\S]*?<\/style\s*>/gi, "");
  const named = bare.replace(/<[a-z][^>]*>/gi, (tag) => tag.replace(/(\s)style(\s*=)/gi, "$1data-style$2"));
  const page = new DOMParser().parseFromString(named, "text/html");
  lists(page);
  levelled(page);
  for (const table of page.querySelectorAll("table")) gridded(table, page);
  for (const link of page.querySelectorAll("a")) if (!ABROAD.test(link.getAttribute("href") ?? "")) link.replaceWith(...link.childNodes);
  for (const paragraph of page.querySelectorAll(TEXTS)) trimmed(paragraph, page);
  for (const code of page.querySelectorAll("pre > code")) code.parentElement.dataset.params = /(?:^|\s)lang(?:uage)?-(\S+)/.exec(code.className)?.[1] ?? "";
  for (const list of page.querySelectorAll("ul, ol")) if (!list.querySelector(":scope > li > p + p")) list.dataset.tight = "true";
  for (const element of page.querySelectorAll("[data-style]")) restyled(element, page);
  return page.body.innerHTML;
}

/** Links that lead somewhere from here: those within a document, to files and to scripts do not. */
const ABROAD = /^(?:https?:|mailto:)/i;
const TEXTS = "p, h1, h2, h3, h4, h5, h6, li, td, th";

/** Without the blanks at its ends that keep a line from being empty; a paragraph that has nothing else goes. */
function trimmed(paragraph, page) {
  const walker = page.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  for (const [row, edge] of [[texts, /^[\s\u00a0]+/], [texts.toReversed(), /[\s\u00a0]+$/]]) {
    for (const each of row) if ((each.data = each.data.replace(edge, ""))) break;
  }
  const isEmpty = paragraph.matches("p") && !paragraph.textContent && !paragraph.querySelector("img");
  if (isEmpty && !paragraph.closest("li, td, th")) paragraph.remove();
}

const styleOf = (element) => element.dataset.style ?? "";

const LOOKS = [
  ["strong", /(?<![\w-])font-weight:\s*(?:bold|[6-9]00)/i],
  ["em", /(?<![\w-])font-style:\s*italic/i],
  ["s", /(?<![\w-])text-decoration(?:-line)?:[^;]*line-through/i],
];

function restyled(element, page) {
  const style = styleOf(element);
  delete element.dataset.style;
  if (/^(?:b|strong)$/i.test(element.tagName) && /(?<![\w-])font-weight:\s*(?:normal|400)/i.test(style)) {
    element.replaceWith(...element.childNodes); // around all that Google Docs copies
    return;
  }
  if (/^(?:h[1-6]|t[hdr]|table|tbody|ul|ol)$/i.test(element.tagName)) return;
  for (const [tag, pattern] of LOOKS) {
    if (!pattern.test(style)) continue;
    const look = page.createElement(tag);
    look.append(...element.childNodes);
    element.append(look);
  }
}

/** Word's HTML has no lists: paragraphs say in a style of Microsoft's which list and level they belong to, with the
 * bullet typed in front. */
function lists(page) {
  for (const paragraph of page.querySelectorAll("p, h1, h2, h3, h4, h5, h6")) {
    if (!levelOf(paragraph) || !paragraph.parentNode) continue;
    const run = [paragraph];
    for (let next = after(paragraph); next && levelOf(next); next = after(next)) run.push(next);
    const items = run.map((each) => ({ level: levelOf(each), isOrdered: isOrdered(each), content: content(each, page) }));
    paragraph.before(nested(items, page));
    for (const each of run) each.remove();
  }
}

const after = (element) => element.nextElementSibling;
const levelOf = (element) => Number(/mso-list:\s*l\d+\s+level(\d+)/.exec(styleOf(element))?.[1] ?? 0);
const isMarker = (element) => /mso-list:\s*ignore/i.test(styleOf(element));
const markers = (element) => [...element.querySelectorAll("span")].filter(isMarker);
const isOrdered = (element) => /^\s*(?:\d+|[a-z]|[ivx]+)[.)]/i.test(markers(element)[0]?.textContent ?? "");

function content(paragraph, page) {
  for (const marker of markers(paragraph)) marker.remove();
  const item = page.createElement("p");
  item.append(...paragraph.childNodes);
  return item;
}

/** Paragraphs with levels as lists inside lists. */
function nested(items, page) {
  const open = [];
  for (const { level, isOrdered: ordered, content: paragraph } of items) {
    while (open.length > level) open.pop();
    while (open.length < Math.max(level, 1)) {
      const list = page.createElement(ordered ? "ol" : "ul");
      const holder = open.at(-1);
      if (holder) (holder.lastElementChild ?? holder.appendChild(page.createElement("li"))).append(list);
      open.push(list);
      if (open.length === level || level < 1) break;
    }
    const item = page.createElement("li");
    item.append(paragraph);
    open.at(-1).append(item);
  }
  return open[0];
}

/** The web's Word has a list for each item, which says its level. */
function levelled(page) {
  const holderOf = (list) => (list.parentElement.childElementCount === 1 && list.parentElement !== page.body ? list.parentElement : list);
  const listIn = (element) => (element?.matches("ul, ol") ? element : element?.childElementCount === 1 && element.firstElementChild.matches("ul, ol") ? element.firstElementChild : null);
  const isOne = (list) => list?.querySelector(":scope > li[data-aria-level]") ?? null;
  for (const list of page.querySelectorAll("ul, ol")) {
    if (!list.isConnected || !isOne(list)) continue;
    const first = holderOf(list);
    const holders = [first];
    for (let next = first.nextElementSibling; isOne(listIn(next)); next = next.nextElementSibling) holders.push(next);
    const items = holders.flatMap((holder) => {
      const of = listIn(holder);
      return [...of.children].map((item) => ({ level: Number(item.dataset.ariaLevel) || 1, isOrdered: of.matches("ol"), content: content(item.querySelector("p") ?? item, page) }));
    });
    first.before(nested(items, page));
    for (const each of holders) each.remove();
  }
}

const MOST_SPANNED = 50;
const PARTS = "p, div, li, ul, ol, h1, h2, h3, h4, h5, h6, pre, blockquote, br, table, tr, td, th";

/** A table with a cell in each of its places, as Markdown has it: one that reaches over others is followed by empty ones,
 * and what stands in one stands on a line. */
function gridded(table, page) {
  if (table.parentElement?.closest("td, th")) return; // text of the cell that it stands in
  const held = []; // of each column, over how many rows more a cell above reaches
  for (const row of table.rows) {
    const given = [...row.cells];
    row.replaceChildren();
    for (let column = 0; given.length || held.slice(column).some((rows) => rows > 0); column++) {
      const cell = held[column] > 0 ? null : given.shift();
      row.append(cell ?? page.createElement("td"));
      if (!cell) {
        held[column] = Math.max(0, (held[column] ?? 0) - 1);
        continue;
      }
      const over = Math.min(cell.colSpan, MOST_SPANNED);
      held[column] = cell.rowSpan - 1;
      for (let place = 1; place < over; place++) (held[++column] = cell.rowSpan - 1), row.append(page.createElement("td"));
      for (const name of ["colspan", "rowspan"]) cell.removeAttribute(name);
      for (const part of [...cell.querySelectorAll(PARTS)].reverse()) part.replaceWith(" ", ...part.childNodes, " ");
    }
  }
}

/** What is pasted as it fits where it goes: in a cell on one line, headings at most as high as a block may hold. */
export function fitting(slice, view) {
  const isInCell = isInTable(view.state) && !slice.content.content.some(({ type }) => type === nodes.table || type === nodes.table_row);
  return isInCell ? onOneLine(slice) : lowered(slice);
}

/** The texts of a slice, one behind the other: a cell of a table has one line. */
function onOneLine(slice) {
  const words = [];
  slice.content.descendants((node) => {
    if (!node.isTextblock) return true;
    if (words.length) words.push(schema.text(" "));
    node.forEach((each) => words.push(each.type === nodes.hard_break ? schema.text(" ") : each));
    return false;
  });
  return words.length ? new Slice(Fragment.from(nodes.paragraph.create(null, words)), 1, 1) : slice;
}

/** Headings at most as high as a block may hold within it. */
function lowered(slice) {
  const lower = (fragment) => {
    const nodes = [];
    fragment.forEach((node) => {
      const isHigh = node.type.name === "heading" && node.attrs.level <= LOWEST_OPENING;
      nodes.push(isHigh ? node.type.create({ level: LOWEST_OPENING + 1 }, node.content, node.marks) : node.isText ? node : node.copy(lower(node.content)));
    });
    return Fragment.from(nodes);
  };
  return new Slice(lower(slice.content), slice.openStart, slice.openEnd);
}

/** What only Markdown has: a heading, a list, a quotation, a fence, a table; bold, italic or struck words, code, links. */
const MARKED = /^ {0,3}(?:#{1,6} |[-*+] |\d{1,9}[.)] |> |```|~~~|\|.*\|\s*$)|\*\*\S|~~\S|`[^`\n]+`|\]\(\S+\)|(?<![\w*])\*[^\s*][^*\n]*\*(?![\w*])/m;

/** Plain text as the Markdown or the cells of a spreadsheet that it may be; else its lines as they are. `isPlain`:
 * whoever pastes it wants it so. */
export function plainText(text, isPlain) {
  const tidy = text.replace(/\r\n?/g, "\n").replace(/^\n+|\s+$/g, "");
  if (!isPlain && MARKED.test(tidy) && isRepresentable(tidy)) return opened(parsed(tidy).content);
  return (!isPlain && cells(tidy)) || opened(lines(tidy));
}

/** One paragraph goes on where the cursor is. */
function opened(content) {
  const isOne = content.childCount === 1 && content.firstChild.type === nodes.paragraph;
  return new Slice(content, isOne ? 1 : 0, isOne ? 1 : 0);
}

/** Paragraphs, where a blank line parts them, in which lines end where they did. */
function lines(text) {
  const paragraphs = text.split(/\n[ \t]*\n\s*/).map((each) => {
    const parts = each.split("\n").map((line) => line.replace(/\s+$/, ""));
    return nodes.paragraph.create(null, parts.flatMap((line, place) => [...(place ? [nodes.hard_break.create()] : []), ...(line ? [schema.text(line)] : [])]));
  });
  return Fragment.from(paragraphs);
}

/** Rows with as many tabs each, as a table. */
function cells(text) {
  const rows = text.split("\n").map((line) => line.split("\t"));
  const columns = rows[0].length;
  if (rows.length < 2 || columns < 2 || rows.some((each) => each.length !== columns)) return undefined;
  const filled = (type, words) => type.create(null, nodes.paragraph.create(null, words.trim() ? schema.text(words.trim()) : null));
  const made = rows.map((row, place) => nodes.table_row.create(null, row.map((each) => filled(place ? nodes.table_cell : nodes.table_header, each))));
  return new Slice(Fragment.from(nodes.table.create(null, made)), 0, 0);
}

/** The address that is pasted, and nothing beside it; undefined: there is more, or none. */
export const address = (data) => /^https?:\/\/[^\s<>]+$/i.exec(data?.getData("text/plain").trim() ?? "")?.[0];
