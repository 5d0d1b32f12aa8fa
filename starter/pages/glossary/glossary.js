// The glossary: entries are kept, changed, removed, and a removal is taken back.
import { post, remove } from "../parts/api.js";
import { tell, tellError } from "../parts/messages.js";
import { renew } from "../parts/renewing.js";
import { say } from "../parts/strings.js";

const form = document.querySelector("[data-term-form]");
const terms = document.querySelector("[data-terms]");
const { heard, right, project } = form.elements;
let changed = null; // the entry that is being changed: {id, heard, project}

const refresh = () => renew(terms, location.pathname + location.search, refresh);
const folded = (text) => text.trim().replace(/\s+/g, " ").toLowerCase();
const keep = (term) => post("glossary", { heard: term.heard.trim(), right: term.right.trim(), project_id: term.project || null });

form.addEventListener("reset", () => {
  changed = null;
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const before = changed;
  try {
    await keep({ heard: heard.value, right: right.value, project: project.value });
    const isOther = before && (folded(before.heard) !== folded(heard.value) || before.project !== project.value);
    if (isOther) await remove(`glossary/${before.id}`);
    form.reset();
    heard.focus();
    await refresh();
  } catch (error) {
    tellError(error);
  }
});

terms.addEventListener("click", async (event) => {
  const change = event.target.closest("[data-change]");
  if (change) {
    changed = { id: change.dataset.term, heard: change.dataset.heard, project: change.dataset.project };
    [heard.value, right.value, project.value] = [change.dataset.heard, change.dataset.right, change.dataset.project];
    right.focus();
    right.select();
    return;
  }
  const button = event.target.closest("[data-remove]");
  if (!button) return;
  const { heard: was, right: said, project: of } = button.parentElement.querySelector("[data-change]").dataset;
  try {
    await remove(`glossary/${button.dataset.remove}`);
    await refresh();
    terms.querySelector("[data-remove]")?.focus();
    tell(say("glossary-removed", { heard: was }), "plain", { words: say("glossary-undo"), doing: () => keep({ heard: was, right: said, project: of }).then(refresh, tellError) });
  } catch (error) {
    tellError(error);
  }
});
