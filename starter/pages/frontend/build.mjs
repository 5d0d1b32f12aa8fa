// Bundles the pages' modules and style sheets into ../static, under names that change with their content, each beside
// its gzip form, and writes ../static/manifest.json: source name -> built name. Run by hatch_build.py.
import { build } from "esbuild";
import { mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const source = join(here, "src");
const target = join(here, "..", "static");
const fresh = `${target}.${process.pid}.part`;

const entries = (await readdir(source)).filter((name) => /\.(js|css|svg)$/.test(name)).map((name) => join(source, name));

await rm(fresh, { recursive: true, force: true });
await mkdir(fresh, { recursive: true });
const result = await build({
  entryPoints: entries,
  absWorkingDir: here,
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
  loader: { ".svg": "copy" },
  metafile: true,
  logLevel: "warning",
});

const manifest = {};
for (const [path, output] of Object.entries(result.metafile.outputs)) {
  const name = basename(path);
  const entry = output.entryPoint ?? (Object.keys(output.inputs).length === 1 && name.endsWith(".svg") ? Object.keys(output.inputs)[0] : null);
  if (entry) {
    manifest[basename(entry)] = { file: name, imports: output.imports.filter((each) => each.kind === "import-statement").map((each) => basename(each.path)) };
  }
}
for (const name of await readdir(fresh)) {
  const packed = gzipSync(await readFile(join(fresh, name)), { level: 9 });
  packed.fill(0, 4, 8); // no time of packing: the same source gives the same bytes
  await writeFile(join(fresh, `${name}.gz`), packed);
}
await writeFile(join(fresh, "manifest.json"), JSON.stringify(manifest, null, 2) + "\n");
await rm(target, { recursive: true, force: true });
await rename(fresh, target);
