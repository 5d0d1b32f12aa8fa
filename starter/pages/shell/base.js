// What every page runs: times in the reader's zone, messages, the lost connection, shortcuts, htmx.
import htmx from "htmx.org/dist/htmx.esm.js";
import { listShortcuts, shortcut } from "../parts/shortcuts.js";
import { goOn } from "../parts/growing.js";
import { localise } from "../parts/moments.js";
import { tell, tellError } from "../parts/messages.js";
import { heard } from "../parts/session.js";
import { say } from "../parts/strings.js";
import { forgetTyped } from "../parts/typed.js";

htmx.config.noSwap = [204, 304, "4xx", "5xx"]; // what stands there says more than a page of an error
htmx.config.morphIgnore.push("open"); // what a reader unfolded stays so when a part is shown anew

localise(document);
document.addEventListener("htmx:after:swap", () => (localise(document), goOn()));

function failed({ detail: { ctx } }) {
  if (!ctx || ctx.ours) return; // renewing.js tries that again
  const status = ctx.response?.status ?? 0;
  heard(status);
  tell(say(status === 0 ? "failed-unreachable" : status === 401 ? "failed-signed-out" : "failed-unforeseen"), "bad");
}
document.addEventListener("htmx:response:error", failed);
document.addEventListener("htmx:error", failed);

addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  tellError(event.reason);
});

document.querySelector("form[action='/sign-out']")?.addEventListener("submit", forgetTyped);
const chosen = document.querySelector("[data-language]");
document.querySelector("[data-language-set]").hidden = true; // who chooses has chosen
chosen.addEventListener("change", () => chosen.form.requestSubmit());
document.querySelector("[data-shortcuts]")?.addEventListener("click", listShortcuts);
shortcut("?", say("shortcut-help"), listShortcuts);
shortcut("g g", say("shortcut-home"), () => location.assign("/"));
shortcut("g j", say("shortcut-jobs"), () => location.assign("/jobs"));
shortcut("g n", say("shortcut-new"), () => location.assign("/new"));
