// The links of a guide: made, copied, brought up to date, revoked.
import { post, remove } from "../parts/api.js";
import { follow } from "../parts/live.js";
import { tell, tellError } from "../parts/messages.js";
import { renew } from "../parts/renewing.js";
import { say } from "../parts/strings.js";

const DAY_MS = 86_400_000;
const context = JSON.parse(document.getElementById("context").textContent);
const form = document.querySelector("[data-share]");
const links = document.querySelector("[data-links]");
const made = document.querySelector("[data-made]");
const dialog = document.querySelector("[data-revoke-dialog]");
let doomed;

const refresh = () => renew(links, location.pathname + location.search, refresh).catch(tellError);

follow(`/api/v1/jobs/${context.job_id}/events`, ["export", "resync"], () => void refresh(), { from: String(context.heard) });

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const given = new FormData(form);
  const days = Number(given.get("days"));
  const wanted = {
    name: given.get("name").trim() || null,
    expires_at: days ? new Date(Date.now() + days * DAY_MS).toISOString() : null,
    passphrase: given.get("passphrase") || null,
    recording: given.get("recording") === "on",
    embed_origins: given.get("sites").split(/\s+/).filter(Boolean),
  };
  try {
    const share = await post(`instructions/${form.dataset.share}/shares`, wanted);
    made.querySelector("[data-url]").textContent = share.url;
    made.hidden = false;
    made.scrollIntoView({ block: "nearest" });
    form.reset();
    refresh();
  } catch (error) {
    tellError(error);
  }
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.matches("[data-copy]")) {
    navigator.clipboard.writeText(made.querySelector("[data-url]").textContent).then(() => tell(say("share-copied"), "good"), tellError);
  } else if (button?.matches("[data-update]")) {
    post(`shares/${button.dataset.update}/update`).then(() => (tell(say("share-brought"), "good"), refresh()), tellError);
  } else if (button?.matches("[data-revoke]")) {
    doomed = button.dataset.revoke;
    dialog.showModal();
  }
});

dialog.addEventListener("close", () => {
  if (dialog.returnValue !== "revoke") return;
  dialog.returnValue = "";
  remove(`shares/${doomed}`).then(refresh, tellError);
});
