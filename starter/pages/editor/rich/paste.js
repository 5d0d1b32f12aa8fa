// What is pasted, made fit for a block: lists of Word, headings that are too high, and plain text that is Markdown.
import { Fragment, Slice } from "prosemirror-model";
import { LOWEST_OPENING, isRepresentable, parsed } from "./markdown.js";

/** Pasted HTML without its styles, which this page would not let in: what they say of the look stands in elements
 * (browsers, Google Docs), and what Word says in them of lists, in lists. */
export function unstyled(html) {
  const named = html.replace(/<[a-z][^>]*>/gi, (tag) => tag.replace(/(\s)style(\s*=)/gi, "$1data-style$2"));
  const page = new DOMParser().parseFromString(named, "text/html");
  lists(page);
  for (const list of page.querySelectorAll("ul, ol")) if (!list.querySelector(":scope > li > p + p")) list.dataset.tight = "true";
  for (const element of page.querySelectorAll("[data-style]")) restyled(element, page);
  return page.body.innerHTML;
}

const styleOf = (element) => element.dataset.style ?? "";

const LOOKS = [
  ["strong", /font-weight:\s*(?:bold|[6-9]00)/i],
  ["em", /font-style:\s*italic/i],
  ["s", /text-decoration(?:-line)?:[^;]*line-through/i],
];

function restyled(element, page) {
  const style = styleOf(element);
  delete element.dataset.style;
  if (/^(?:b|strong)$/i.test(element.tagName) && /font-weight:\s*(?:normal|400)/i.test(style)) {
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

/** Headings of what is pasted, at most as high as a block may hold within it. */
export function lowered(slice) {
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

/** Plain text as the Markdown that it may be; `undefined`: it is not, and its lines become paragraphs. */
export function plainText(text) {
  const tidy = text.replace(/\r\n?/g, "\n").replace(/^\n+|\n+$/g, "");
  if (!isRepresentable(tidy)) return undefined;
  const { content } = parsed(tidy);
  const isOne = content.childCount === 1 && content.firstChild.isTextblock && content.firstChild.type.name === "paragraph";
  return new Slice(content, isOne ? 1 : 0, isOne ? 1 : 0);
}
