// What a code says in the page's language, where that is not the one in which it came.
import { FluentBundle, FluentResource } from "@fluent/bundle";

const CAME_IN = "en";
let catalogue = null;

/** The sentence for `code`; `message`: the English one that came with it. `kind`: error, warning or issue. */
export async function sentence(kind, code, message, details = {}) {
  const { lang } = document.documentElement;
  if (lang === CAME_IN) return message;
  const bundle = await (catalogue ??= loaded(lang));
  const found = bundle?.getMessage(`${kind}-${code}`);
  if (!found?.value) return message;
  const faults = [];
  const said = bundle.formatPattern(found.value, { ...plain(details), said: message }, faults);
  return faults.length ? message : said;
}

/** What a sentence may be made with: texts and numbers. */
const plain = (details) => Object.fromEntries(Object.entries(details ?? {}).filter(([, value]) => ["string", "number"].includes(typeof value)));

async function loaded(lang) {
  const answer = await fetch(`/sentences/${lang}`, { headers: { "HX-Request": "true" } }).catch(() => null);
  if (!answer?.ok) return (catalogue = null); // asked for again with the next one
  const bundle = new FluentBundle(lang, { useIsolating: false });
  bundle.addResource(new FluentResource(await answer.json()));
  return bundle;
}
