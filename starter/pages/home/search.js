// What was found, as one types.
import { renew } from "../parts/renewing.js";
import { shortcut } from "../parts/shortcuts.js";
import { say } from "../parts/strings.js";

const TYPED_MS = 200;
const form = document.querySelector("[data-search]");
const found = document.querySelector("[data-found]");

function look() {
  const wanted = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
  const address = wanted.size ? `/search?${wanted}` : "/search";
  history.replaceState(null, "", address);
  renew(found, address, look);
}

let typed;
form.addEventListener("input", () => {
  clearTimeout(typed);
  typed = setTimeout(look, TYPED_MS);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(typed);
  look();
});
shortcut("/", say("shortcut-search"), () => form.elements.q.focus());
