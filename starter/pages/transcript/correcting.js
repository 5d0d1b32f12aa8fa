// Correcting a line in its place.
import { put, remove } from "../parts/api.js";
import { make } from "../parts/elements.js";
import { tell, tellError } from "../parts/messages.js";
import { clock } from "../parts/moments.js";
import { say } from "../parts/strings.js";

/**
 * Open the form in a line, unless it is open there.
 * @param {{job: string, lines: import("./lines.js").Lines, changed: (before: string, after: string) => void, stale: () => Promise<void>}} where
 *   `changed`: a line reads otherwise, and how; `stale`: somebody else was faster, all of it is to be read again
 * @param {string | null} typed what stands in the form, if not the line as it reads
 */
export function correct(index, { job, lines, changed, stale }, typed = null) {
  const line = lines.line(index);
  if (!line || line.querySelector("form")) return;
  const { text, original, start } = lines.facts[index];
  const path = `jobs/${job}/transcript/segments/${index}`;
  const shown = line.querySelector(".said");
  const field = make("textarea", { "aria-label": say("correct-at", { time: clock(start) }), maxlength: 5000, spellcheck: "true", rows: 2 });
  field.value = typed ?? text;
  const button = (name, attributes) => make("button", { class: "button small", type: "button", ...attributes }, say(name));
  const form = make(
    "form",
    { class: "correcting" },
    field,
    make(
      "div",
      { class: "row" },
      button("correct-save", { class: "button small primary", type: "submit" }),
      button("cancel", { onclick: () => close() }),
      original !== null && button("correct-undo", { onclick: () => send(() => remove(path)) }),
    ),
  );
  const others = line.querySelector("[data-correct]");

  function close() {
    form.replaceWith(shown);
    others.hidden = false;
    lines.activate(index, { focus: true });
  }

  async function send(call) {
    for (const each of form.querySelectorAll("button")) each.disabled = true;
    try {
      const said = await call();
      close();
      lines.change(index, { text: said.text.trim(), original: said.original_text === null ? null : said.original_text.trim() });
      tell(say(said.original_text === null ? "correct-undone" : "correct-saved"), "good");
      changed(text, said.text.trim());
    } catch (error) {
      for (const each of form.querySelectorAll("button")) each.disabled = false;
      tellError(error);
      if (error.code !== "CORRECTION_CONFLICT") return;
      const mine = field.value;
      close();
      await stale();
      if (mine !== text) correct(index, { job, lines, changed, stale }, mine); // beside what has become of the line, to be sent again
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const now = field.value.replace(/\s+/g, " ").trim();
    if (now === text) close();
    else if (now) send(() => put(path, { text: now, base_text: text }));
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    else if (event.key === "Enter" && event.target === field && !event.isComposing) form.requestSubmit();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  shown.replaceWith(form);
  others.hidden = true;
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}
