// Lines above the text that say what has happened and what can be done: one of each name.
import { make } from "../parts/elements.js";

const region = document.querySelector("[data-notices]");

/** @param {{words: string, doing: () => void}[]} actions */
export function notice(name, text, actions = []) {
  withdraw(name);
  const buttons = actions.map(({ words, doing }) => make("button", { class: "button small", type: "button", onclick: doing }, words));
  region.append(make("div", { class: "notice warn row", role: "status", "data-notice": name }, make("span", {}, text), ...buttons));
}

export function withdraw(name) {
  region.querySelector(`[data-notice="${name}"]`)?.remove();
}
