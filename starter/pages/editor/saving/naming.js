// A version that somebody wants to find again gets a name.
import { put } from "../../parts/api.js";
import { shown } from "../../parts/asking.js";
import { freshId, make } from "../../parts/elements.js";
import { say } from "../../parts/strings.js";

const LONGEST = 200;

/** Ask for a name, make what is written a version, and call it that; null where nothing came of it. @throws {Refused} */
export async function nameVersion(copy, save) {
  const title = freshId("name");
  const input = make("input", { type: "text", maxlength: LONGEST, required: true, id: freshId("name"), value: copy.base.name && !copy.dirty ? copy.base.name : "" });
  const dialog = make(
    "dialog",
    { class: "question", "aria-labelledby": title },
    make("h2", { id: title }, say("name-title")),
    make(
      "form",
      { method: "dialog", class: "stack" },
      make("label", { class: "field", for: input.id }, say("name-label"), input),
      make("div", { class: "row" }, make("button", { class: "button primary", value: "yes" }, say("name-yes")), make("button", { class: "button", value: "", formnovalidate: true }, say("cancel"))),
    ),
  );
  const answer = await shown(dialog);
  const name = input.value.trim();
  if (answer !== "yes" || !name || !(await save())) return null;
  await put(`instructions/${copy.instruction}/versions/${copy.base.version}`, { name });
  return name;
}
