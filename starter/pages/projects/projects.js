// Projects: a new one is made, and shown.
import { once, post } from "../parts/api.js";
import { tellError } from "../parts/messages.js";

const form = document.querySelector("[data-new-project]");
let key = once();

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    const made = await post("projects", { name: form.elements.name.value.trim() }, { key });
    location.assign(`/projects/${made.id}`);
  } catch (error) {
    key = once();
    tellError(error);
  }
});
