// An invitation: one button, which lets somebody in.
import { post } from "../parts/api.js";
import { tellError } from "../parts/messages.js";

const button = document.querySelector("[data-accept]");

button?.addEventListener("click", async () => {
  button.disabled = true;
  try {
    const project = await post("invitations/accept", { token: button.dataset.accept });
    location.assign(`/projects/${project.id}`);
  } catch (error) {
    button.disabled = false;
    tellError(error);
  }
});
