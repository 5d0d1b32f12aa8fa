// What every page runs: times in the reader's zone, messages, the lost connection, shortcuts, htmx.
import htmx from "htmx.org/dist/htmx.esm.js";
import { listShortcuts, shortcut } from "./parts/shortcuts.js";
import { localise } from "./parts/moments.js";
import { say } from "./parts/strings.js";

htmx.config.morphIgnore.push("open"); // what a reader unfolded stays so when a part is shown anew

localise(document);
document.addEventListener("htmx:after:swap", () => localise(document));

document.querySelector("[data-shortcuts]")?.addEventListener("click", listShortcuts);
shortcut("?", say("shortcut-help"), listShortcuts);
shortcut("g j", say("shortcut-home"), () => location.assign("/"));
shortcut("g n", say("shortcut-new"), () => location.assign("/new"));
