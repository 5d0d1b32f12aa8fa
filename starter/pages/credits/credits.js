// What an administrator gives, and everything of a person's deleted.
import { once, post, remove } from "../parts/api.js";
import { tell, tellError } from "../parts/messages.js";
import { stored } from "../parts/storage.js";
import { say } from "../parts/strings.js";

const GIVEN = "guidesmith:granted"; // told on the page that shows it

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
    stored(() => sessionStorage.setItem(GIVEN, JSON.stringify({ user: user.value.trim(), amount: Number(amount.value) })));
    location.reload();
  } catch (error) {
    tellError(error);
  } finally {
    button.disabled = false;
  }
});

const erasing = document.querySelector("[data-erase-dialog]");
document.querySelector("[data-erase-account]").addEventListener("click", () => erasing.showModal());
erasing.addEventListener("close", () => {
  const name = erasing.querySelector("input");
  if (erasing.returnValue === "erase") erase(name.value.trim());
  erasing.returnValue = name.value = "";
});

async function erase(user) {
  if (user !== document.body.dataset.owner) return tell(say("account-other-name"), "bad");
  try {
    await remove(`account?user_id=${encodeURIComponent(user)}`);
    return tell(say("account-going"), "good");
  } catch (error) {
    return tellError(error);
  }
}

const given = stored(() => sessionStorage.getItem(GIVEN), null);
if (given) {
  stored(() => sessionStorage.removeItem(GIVEN));
  tell(say("grant-done", JSON.parse(given)), "good");
}
