// Asks the editor's own Markdown module (argv[2], its packages in argv[3]), for tests/unit/test_rich_text.py: texts as JSON on stdin, what is
// wrong as JSON on stdout.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [module, packages] = process.argv.slice(2);
const { build } = await import(pathToFileURL(join(packages, "esbuild", "lib", "main.js")));
const made = await build({ entryPoints: [module], nodePaths: [packages], bundle: true, format: "esm", write: false });
const bundled = `data:text/javascript;base64,${Buffer.from(made.outputFiles[0].contents).toString("base64")}`;
const { Source, isRepresentable, parsed, schema, serialized } = await import(bundled);
const { texts, seed, documents } = JSON.parse(readFileSync(0, "utf8"));
const wrong = [];
let representable = 0;

const fresh = schema.node("paragraph", null, [schema.text("Something new.")]);
for (const text of texts) {
  if (!isRepresentable(text)) continue;
  representable += 1;
  const source = new Source(text);
  if (source.render(source.doc) !== text) wrong.push({ what: "untouched", text });
  source.doc.children.forEach((_, place) => {
    const children = source.doc.children.with(place, fresh);
    const after = source.render(schema.nodes.doc.create(null, children));
    const kept = source.parts.every((part, other) => other === place || part === null || after.includes(part));
    const expected = children.map((node) => node.toString()).join();
    const got = parsed(after).children.map((node) => node.toString()).join();
    if (!kept || got !== expected) wrong.push({ what: `changed ${place}`, text, after, got, expected });
  });
}

// Documents that nobody wrote as Markdown: whatever is typed has to come back as what it is.
let state = seed;
const random = (below) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
const one = (list) => list[random(list.length)];
const WORDS = ["word", "a_b", "*", "**", "_", "#", "##", "-", "+", ">", "1.", "2)", "10)", "`", "``", "~~", "[x]", "(y)", "![", "<b>", "</p>", "<", "&amp;", "&", "\\", "|", "a|b", "=", "===", "---", "!", "https://e.org", "é", "日本", ":--", "{}", "\"", "'", "$1", "@", "~"];
const { em, strong, code, struck, link } = schema.marks;
const MARKS = [[], [], [], [em.create()], [strong.create()], [code.create()], [struck.create()], [link.create({ href: "https://e.org/a_(b)?c=d&e" })], [em.create(), strong.create()]];

function inline(breaks) {
  const nodes = [];
  for (let count = 1 + random(4); count > 0; count--) {
    const words = Array.from({ length: 1 + random(3) }, () => one(WORDS)).join(" ");
    const last = nodes.at(-1);
    const marks = one(MARKS);
    if (last?.isText && last.marks.length && marks.length) nodes.push(schema.text(" and "));
    nodes.push(schema.text(words, marks));
    if (count > 1) nodes.push(breaks && random(5) === 0 ? schema.node("hard_break") : schema.text(" "));
  }
  return nodes;
}
const paragraph = () => schema.node("paragraph", null, inline(true));
const cell = (type) => schema.node(type, null, [schema.node("paragraph", null, inline(false))]);
const row = (type) => schema.node("table_row", null, [cell(type), cell(type)]);
const item = (depth) => schema.node("list_item", null, [paragraph(), ...(depth && random(3) === 0 ? [list(depth - 1)] : [])]);
const list = (depth) => schema.node(one(["bullet_list", "ordered_list"]), { tight: true }, Array.from({ length: 1 + random(3) }, () => item(depth)));
const BLOCKS = [
  paragraph,
  paragraph,
  () => schema.node("heading", { level: 3 + random(2) }, inline(false)),
  () => list(2),
  () => schema.node("blockquote", null, [paragraph()]),
  () => schema.node("code_block", { params: one(["", "sh"]) }, [schema.text(one(["ls -l\n\n# x", "```\na", "a  \n\tb"]))]),
  () => schema.node("table", null, [row("table_header"), row("table_cell")]),
  () => schema.node("horizontal_rule"),
];
for (let count = 0; count < documents; count++) {
  const blocks = [];
  while (blocks.length < 1 + random(4)) {
    const block = one(BLOCKS)();
    if (!(block.type === blocks.at(-1)?.type && /list|quote/.test(block.type.name))) blocks.push(block);
  }
  const doc = schema.node("doc", null, blocks);
  const text = serialized(doc);
  if (parsed(text).toString() !== doc.toString()) wrong.push({ what: "typed", text, got: parsed(text).toString(), expected: doc.toString() });
}
console.log(JSON.stringify({ representable, wrong: wrong.slice(0, 20), count: wrong.length }));
