// A generation's page: its text can be copied.
import { tell } from "../parts/messages.js";
import { say } from "../parts/strings.js";

document.querySelector("[data-job]").addEventListener("click", async (event) => {
  if (!event.target.closest("[data-copy-text]")) return;
  try {
    await navigator.clipboard.writeText(document.querySelector("[data-text]").innerText);
    tell(say("text-copied"), "good");
  } catch {
    tell(say("text-not-copied"), "bad");
  }
});
