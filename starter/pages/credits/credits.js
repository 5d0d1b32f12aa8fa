// What an administrator gives.
import { once, post } from "../parts/api.js";
import { tellError } from "../parts/messages.js";

const form = document.querySelector("[data-grant]");
let key = once();

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { user_id: user, amount, reason } = form.elements;
  const button = form.querySelector("button");
  button.disabled = true;
  try {
    await post("admin/credits/grants", { user_id: user.value.trim(), amount: Number(amount.value), reason: reason.value.trim(), idempotency_key: key });
    key = once();
    location.reload();
  } catch (error) {
    tellError(error);
  } finally {
    button.disabled = false;
  }
});
