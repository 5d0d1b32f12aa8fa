// A block's Markdown as a document that is edited in place, and back. What nobody touched comes back byte for byte: the
// source of each construct (a paragraph, a list, a table) is remembered beside its node, and only a construct that was
// changed is written anew.
import MarkdownIt from "markdown-it";
import { MarkdownParser, MarkdownSerializer, defaultMarkdownParser, defaultMarkdownSerializer, schema as plain } from "prosemirror-markdown";
import { Schema } from "prosemirror-model";
import { tableNodes } from "prosemirror-tables";

/** The levels of a heading that begin a block wherever they stand: within one, a heading is lower. */
export const LOWEST_OPENING = 2;

const alignment = {
  default: null,
  validate: "string|null",
  getFromDOM: (cell) => cell.dataset.align ?? (["left", "center", "right"].includes(cell.align) ? cell.align : null),
  setDOMAttr(value, attributes) {
    if (value) attributes["data-align"] = value;
  },
};

/** An image that the text refers to is never fetched, here or in an export: its words stand for it. */
const image = {
  ...plain.spec.nodes.get("image"),
  parseDOM: [{ tag: "span[data-image]", getAttrs: (span) => ({ src: span.dataset.image, alt: span.textContent || null }) }],
  toDOM: ({ attrs }) => ["span", { class: "image", "data-image": attrs.src, title: attrs.src }, attrs.alt ?? ""],
};

const link = {
  ...plain.spec.marks.get("link"),
  toDOM: ({ attrs }) => ["a", { href: attrs.href, title: attrs.title ?? attrs.href }, 0],
};

/** The page's own headings are above those of a text (as the server shows them). */
const heading = {
  ...plain.spec.nodes.get("heading"),
  parseDOM: [1, 2, 3, 4, 5, 6].map((level) => ({ tag: `h${level}`, getAttrs: ({ dataset }) => ({ level: Number(dataset.level ?? level) }) })),
  toDOM: ({ attrs: { level } }) => [`h${Math.min(level + 1, 6)}`, { "data-level": level }, 0],
};

const struck = { parseDOM: [{ tag: "s" }, { tag: "del" }, { tag: "strike" }, { style: "text-decoration=line-through" }], toDOM: () => ["s", 0] };

export const schema = new Schema({
  nodes: plain.spec.nodes
    .update("image", image)
    .update("heading", heading)
    .append(tableNodes({ tableGroup: "block", cellContent: "paragraph", cellAttributes: { align: alignment } })),
  marks: plain.spec.marks.update("link", link).addBefore("code", "struck", struck),
});

/** As the exports read it (activities/publishing/markup.py). */
const grammar = new MarkdownIt("commonmark", { html: true, maxNesting: 100 }).enable(["table", "strikethrough"]);
const cells = new Set(["th_open", "td_open"]);

/** The tokens of `text`; what stands in a cell of a table stands in a paragraph there. */
function tokens(text, env) {
  const found = [];
  for (const token of grammar.parse(text, env)) {
    const isInCell = token.type === "inline" && cells.has(found.at(-1)?.type);
    if (isInCell) found.push({ type: "paragraph_open" }, token, { type: "paragraph_close" });
    else found.push(token);
  }
  return found;
}

const cell = (block) => ({ block, getAttrs: (token) => ({ align: /text-align:(\w+)/.exec(token.attrGet("style") ?? "")?.[1] ?? null }) });

const parser = new MarkdownParser(schema, { parse: tokens }, {
  ...defaultMarkdownParser.tokens,
  table: { block: "table" },
  thead: { ignore: true },
  tbody: { ignore: true },
  tr: { block: "table_row" },
  th: cell("table_header"),
  td: cell("table_cell"),
  s: { mark: "struck" },
});

const RULES = { left: ":---", center: ":---:", right: "---:" };

function row(state, node) {
  node.forEach((each, _, place) => {
    state.write(place === 0 ? "| " : " | ");
    const from = state.out.length;
    each.firstChild.childCount ? state.renderInline(each.firstChild, false) : undefined;
    const text = state.out.slice(from).replace(/\\?\n/g, " ");
    state.out = state.out.slice(0, from) + text.replace(/(?<!\\)((?:\\\\)*)\|/g, "$1\\|");
  });
  state.write(" |");
}

function table(state, node) {
  node.forEach((each, _, place) => {
    if (place > 0) state.ensureNewLine();
    row(state, each);
    if (place > 0) return;
    state.ensureNewLine();
    state.write(`| ${each.children.map(({ attrs }) => RULES[attrs.align] ?? "---").join(" | ")} |`);
  });
  state.closeBlock(node);
}

/** Beside what the library escapes: HTML and entities, which it does not know, underlines, the ends of headings, and the
 * list markers that it leaves. */
const SPECIAL = /<(?=[A-Za-z/!?])|&(?=#?\w+;)|^=+(?=\s*$)|(?<=^|\s)#+(?=\s*$)|^\+$|(?<=^\d{1,9})[.)](?=\s|$)/g;

const serializer = new MarkdownSerializer(
  {
    ...defaultMarkdownSerializer.nodes,
    bullet_list: (state, node) => state.renderList(node, "  ", () => "- "),
    text(state, node, parent, place) {
      if (place > 0 && parent.child(place - 1).type.name === "hard_break") state.atBlockStart = true;
      const text = state.atBlockStart ? node.text.replace(/^[ \t]+/, "") : node.text; // four spaces there would make code of it
      state.text(text, !state.inAutolink);
    },
    table,
    table_row: row,
  },
  { ...defaultMarkdownSerializer.marks, struck: { open: "~~", close: "~~", mixable: true, expelEnclosingWhitespace: true } },
  { escapeExtraCharacters: SPECIAL },
);

const written = (nodes) => serializer.serialize(schema.nodes.doc.create(null, nodes), { tightLists: true });

/** `text` as a document. */
export const parsed = (text) => parser.parse(text);

/** A document as Markdown, all of it written anew. */
export const serialized = (doc) => (isBlank(doc) ? "" : written(doc.children));

const isBlank = (doc) => doc.childCount === 1 && doc.firstChild.type.name === "paragraph" && doc.firstChild.childCount === 0;

const looks = (text) => grammar.render(text).replace(/\s+/g, " ").replace(/> </g, "><");

/** Whether `text` can be edited in place: what has HTML, references or anything that this dialect would write with
 * another meaning is edited as its source. */
export function isRepresentable(text) {
  if (/[\r\0]/.test(text)) return false;
  const env = {};
  try {
    const doc = parser.parse(text, env);
    doc.check();
    return !Object.keys(env.references ?? {}).length && looks(serialized(doc)) === looks(text);
  } catch {
    return false; // a token that has no node here, or a place that its node may not stand in
  }
}

const BETWEEN = "\n\n";

/** A text, its document, and the source that each of its constructs was read from. */
export class Source {
  /** @param {string} text what `isRepresentable` */
  constructor(text) {
    this.text = text;
    this.doc = parser.parse(text);
    const places = spans(text);
    this.parts = places.map(([from, to, isWhole]) => (isWhole ? text.slice(from, to) : null));
    this.gaps = [...places, [text.length]].map(([from], place) => text.slice(place ? places[place - 1][1] : 0, from));
    this.rebase(this.doc);
  }

  /** Go by the nodes of `doc`, which says the same. */
  rebase(doc) {
    this.nodes = [...doc.children];
    this.known = new Map(this.nodes.length === this.parts.length ? this.nodes.map((node, place) => [node, place]) : []);
  }

  /** What `doc`, this document after changes, is in Markdown: a construct that is there still as it was written, with
   * what stood around it, and only the others anew. */
  render(doc) {
    const now = doc.children;
    if (now.length === this.nodes.length && now.every((node, place) => node === this.nodes[place])) return this.text;
    if (isBlank(doc)) return "";
    const runs = []; // constructs that are known, one each, and what is new between them
    for (const node of now) {
      const place = this.known.get(node);
      const isKept = place !== undefined && this.parts[place] !== null;
      if (isKept) runs.push({ place, text: this.parts[place] });
      else if (runs.at(-1)?.fresh) runs.at(-1).fresh.push(node);
      else runs.push({ fresh: [node] });
    }
    const texts = runs.map(({ text, fresh }) => text ?? written(fresh));
    const pieces = texts.map((text, at) => (at && text && texts[at - 1] ? this.#gap(runs[at - 1], runs[at]) : "") + text);
    return (this.gaps[0] ?? "") + pieces.join("") + (this.gaps.length > 1 ? this.gaps.at(-1) : "");
  }

  #gap(before, after) {
    if (after.place !== undefined && after.place === before.place + 1) return this.gaps[after.place];
    const gap = before.place !== undefined ? this.gaps[before.place + 1] : after.place !== undefined ? this.gaps[after.place] : "";
    return /\n[ \t]*\n/.test(gap) ? gap : BETWEEN;
  }
}

/** Where each top-level construct of `text` stands: `[from, to, isWhole]`, without the blank lines around it. A fence
 * that nobody closed is not whole: what follows would belong to it. */
function spans(text) {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  const offset = (line) => starts[line] ?? text.length;
  return grammar
    .parse(text, {})
    .filter(({ level, nesting, map }) => level === 0 && nesting >= 0 && map)
    .map(({ type, map: [first, behind] }) => {
      const from = offset(first);
      const part = text.slice(from, offset(behind)).replace(/[ \t\n]+$/, "");
      return [from, from + part.length, type !== "fence" || /\n {0,3}(?:`{3,}|~{3,})$/.test(part)];
    });
}
