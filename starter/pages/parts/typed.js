// What somebody has typed into a form that was not sent yet: it outlasts a reload, in this tab and for this person.
// Without storage a reload loses it, as it would in any form.
import { stored } from "./storage.js";

const ALL = "guidesmith:typed:";
const FIELDS = "textarea, input[type=radio], input[type=url], input[type=number], input:not([type]), select";

/** Put back what was typed into `form`, and keep what is typed from now on. */
export function keepTyped(form) {
  const key = `${ALL}${document.body.dataset.owner}:${location.pathname}`;
  const fields = () => [...form.querySelectorAll(FIELDS)].filter((each) => each.name);
  let touched = false;
  for (const [name, value] of Object.entries(stored(() => JSON.parse(sessionStorage.getItem(key)), null) ?? {})) {
    for (const field of fields()) {
      if (nameOf(field) !== name || isTouched(field)) continue;
      if (field.type !== "radio") field.value = value;
      else if (field.value === value && !field.disabled) field.checked = true;
      else continue;
      touched = true;
      field.dispatchEvent(new Event("input")); // for its own count; the form has not changed
    }
  }
  if (touched) form.dispatchEvent(new Event("change"));
  form.addEventListener("input", () => {
    const typed = Object.fromEntries(fields().filter(isTyped).map((each) => [nameOf(each), each.value]));
    stored(() => sessionStorage.setItem(key, JSON.stringify(typed)));
  });
  return { forget: () => stored(() => sessionStorage.removeItem(key)) };
}

/** Whether somebody was faster than this module. */
const isTouched = (field) => field.defaultValue !== undefined && field.type !== "radio" && field.value !== field.defaultValue;

/** Leave nothing of it behind in this tab. */
export function forgetTyped() {
  stored(() => {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(ALL)) sessionStorage.removeItem(key);
  });
}

const isTyped = (field) => (field.type === "radio" ? field.checked : field.value !== (field.defaultValue ?? ""));

/** Fields of several fieldsets may share a name: each belongs to one type of what is made. */
const nameOf = (field) => `${field.closest("[data-fields]")?.dataset.fields ?? ""}/${field.name}`;
