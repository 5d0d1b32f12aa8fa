// Bundles the pages' modules and style sheets into ../static, under names that change with their content, each beside
// its gzip form, and writes ../static/manifest.json: source -> built name. Run by hatch_build.py.
import { build } from "esbuild";
import { mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const pages = dirname(here);
const target = join(pages, "static");
const fresh = `${target}.${process.pid}.part`;

// what a template or a view names is loaded by itself: 'editor/editor.js'
const entries = new Set();
const drawn = new Set(); // the icons that are named
for (const name of await readdir(pages, { recursive: true })) {
  if (!/^[a-z_]+\/[a-z_]+\.(html|py)$/.test(name)) continue;
  const text = await readFile(join(pages, name), "utf8");
  for (const [, entry] of text.matchAll(/["']([a-z_]+\/[a-z_]+\.(?:js|css|svg))["']/g)) entries.add(entry);
  for (const [, icon] of text.matchAll(/"lucide:([a-z0-9-]+)"/g)) drawn.add(icon);
}

await rm(fresh, { recursive: true, force: true });
await mkdir(fresh, { recursive: true });
const result = await build({
  entryPoints: [...entries].sort(),
  absWorkingDir: pages,
  nodePaths: [join(here, "node_modules")],
  outdir: fresh,
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  minify: true,
  charset: "utf8",
  legalComments: "linked",
  entryNames: "[name]-[hash]",
  chunkNames: "chunk-[hash]",
  assetNames: "[name]-[hash]",
  loader: { ".svg": "copy", ".woff2": "file" },
  metafile: true,
  logLevel: "warning",
});

const manifest = {};
for (const [path, output] of Object.entries(result.metafile.outputs)) {
  const name = basename(path);
  const entry = output.entryPoint ?? (Object.keys(output.inputs).length === 1 && name.endsWith(".svg") ? Object.keys(output.inputs)[0] : null);
  if (entry) {
    manifest[entry] = { file: name, imports: output.imports.filter((each) => each.kind === "import-statement").map((each) => basename(each.path)) };
  }
}
const icons = {};
for (const name of [...drawn].sort()) {
  const file = await readFile(join(here, "node_modules", "lucide-static", "icons", `${name}.svg`), "utf8");
  icons[name] = file.slice(file.indexOf(">", file.indexOf("<svg")) + 1, file.lastIndexOf("</svg>")).replace(/\s*\n\s*/g, "");
}
await writeFile(join(fresh, "icons.json"), JSON.stringify(icons, null, 2) + "\n");
for (const name of await readdir(fresh)) {
  if (name.endsWith(".woff2")) continue; // packed already
  const packed = gzipSync(await readFile(join(fresh, name)), { level: 9 });
  packed.fill(0, 4, 8); // no time of packing: the same source gives the same bytes
  await writeFile(join(fresh, `${name}.gz`), packed);
}
await writeFile(join(fresh, "manifest.json"), JSON.stringify(manifest, null, 2) + "\n");
await rm(target, { recursive: true, force: true });
await rename(fresh, target);
