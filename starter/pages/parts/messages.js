// Messages that do not stand in a page: what has just worked, and what has not.
import { say } from "./strings.js";

const SHOWN_MS = 6000;
const OFFERED_MS = 20_000; // with something that can be done about it: time to read it, and to get there by keys

/** Show `text`; `action`: what can be done about it, {words, doing}. Bad news stays until it is dismissed, and all else as
 * long as somebody points at it. */
export function tell(text, tone = "plain", action = null) {
  const region = document.querySelector("[data-toasts]");
  const toast = document.createElement("div");
  toast.className = `toast ${tone}`;
  const words = document.createElement("p");
  words.textContent = text;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button quiet small";
  button.setAttribute("aria-label", say("dismiss"));
  button.textContent = "×";
  button.addEventListener("click", () => toast.remove());
  toast.append(words);
  if (action) toast.append(answer(toast, action));
  toast.append(button);
  if (tone === "bad") toast.setAttribute("role", "alert");
  else passes(toast, action ? OFFERED_MS : SHOWN_MS);
  region.append(toast);
}

function passes(toast, ms) {
  setTimeout(() => (toast.matches(":hover, :focus-within") ? passes(toast, SHOWN_MS) : toast.remove()), ms);
}

function answer(toast, { words, doing }) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button small";
  button.textContent = words;
  button.addEventListener("click", () => (toast.remove(), doing()));
  return button;
}

const NOT_LOADED = /import(ing|ed)( a)? module/i; // as each browser says it

/** Tell of an error of api.js, or of one of ours. */
export function tellError(error) {
  if (NOT_LOADED.test(error?.message)) {
    return tell(say("failed-outdated"), "bad", { words: say("reload"), doing: () => location.reload() });
  }
  if (!error?.code) console.error(error);
  return tell(error?.code ? error.message : say("failed-unforeseen"), "bad");
}
