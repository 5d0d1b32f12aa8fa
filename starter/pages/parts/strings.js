// What modules say: the catalogue that came with the page.
import { FluentBundle, FluentResource } from "@fluent/bundle";

const bundle = new FluentBundle(document.documentElement.lang || "en", { useIsolating: false });
const source = document.getElementById("strings");
bundle.addResource(new FluentResource(source ? source.content.textContent : ""), { allowOverrides: true });

/** The string `name` of a page's browser.en.ftl, with its arguments. A missing one is a fault of ours, and says so. */
export function say(name, args) {
  const message = bundle.getMessage(name);
  if (!message?.value) throw new Error(`no string ${name}`);
  return bundle.formatPattern(message.value, args);
}
