// Questions that stand in the way until they are answered.
import { freshId, make } from "./elements.js";
import { say } from "./strings.js";

/**
 * Ask for a yes. Escape is a no; where a yes destroys (`danger`), so is Enter.
 * @param {{title: string, text?: string, yes: string, no?: string, danger?: boolean}} question
 * @returns {Promise<boolean>}
 */
export function ask({ title, text, yes, no = say("cancel"), danger = false }) {
  const id = freshId("question");
  const answer = make("button", { class: `button ${danger ? "danger" : "primary"}`, value: "yes" }, yes);
  const dialog = make(
    "dialog",
    { "aria-labelledby": id, class: "question" },
    make("h2", { id }, title),
    text && make("p", {}, text),
    make("form", { method: "dialog", class: "row" }, answer, make("button", { class: "button", value: "no", autofocus: danger }, no)),
  );
  return shown(dialog).then((value) => value === "yes");
}

/**
 * Show a dialog until it is closed, and take it out of the page; the focus goes back to where it was.
 * @returns {Promise<string>} its return value
 */
export function shown(dialog) {
  const before = document.activeElement;
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      resolve(dialog.returnValue);
    });
  });
}
