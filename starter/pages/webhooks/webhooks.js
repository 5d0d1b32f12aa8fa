// Webhook endpoints: made, deleted; deliveries sent once more.
import { once, post, remove } from "../parts/api.js";
import { tell, tellError } from "../parts/messages.js";
import { renew } from "../parts/renewing.js";
import { say } from "../parts/strings.js";

const form = document.querySelector("[data-endpoint]");
const dialog = document.querySelector("[data-delete-dialog]");
let key = once();
let doomed;

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const given = new FormData(form);
  const wanted = { url: given.get("url").trim(), events: given.getAll("events"), description: given.get("description").trim() || null };
  try {
    const made = await post("webhook-endpoints", wanted, { key });
    key = once();
    const notice = document.querySelector("[data-made]");
    notice.querySelector("[data-secret]").textContent = made.secret;
    notice.hidden = false;
    notice.scrollIntoView({ block: "nearest" });
    form.reset();
    renew(document.querySelector("[data-endpoints]"), location.pathname);
  } catch (error) {
    key = once();
    tellError(error);
  }
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-delete]");
  if (button) {
    doomed = button.dataset.delete;
    dialog.querySelector("[data-delete-url]").textContent = button.dataset.url;
    dialog.showModal();
  }
  const again = event.target.closest("[data-redeliver]");
  if (again) {
    post(`webhook-endpoints/${again.dataset.redeliver}/redeliver`).then(() => tell(say("redelivered"), "good"), tellError);
  }
});

dialog?.addEventListener("close", () => {
  if (dialog.returnValue !== "delete") return;
  dialog.returnValue = "";
  remove(`webhook-endpoints/${doomed}`).then(() => location.reload(), tellError);
});
