// A project: people are invited, given another role, taken out; it is renamed, handed over, left, deleted.
import { patch, post, remove } from "../parts/api.js";
import { tell, tellError } from "../parts/messages.js";
import { renew } from "../parts/renewing.js";
import { say } from "../parts/strings.js";

const DAY_MS = 86_400_000;
const find = (name) => document.querySelector(`[data-${name}]`);
const members = find("members");
const project = `projects/${members.dataset.members}`;
const made = find("made");

const refresh = () => renew(members, location.pathname, refresh).catch(tellError);

/** Ask in the dialog of that name about somebody, and then do it. */
function ask(name, who, doing) {
  const dialog = find(`${name}-dialog`);
  const shown = dialog.querySelector("[data-who]");
  if (shown) shown.textContent = who;
  dialog.returnValue = "";
  dialog.addEventListener("close", () => dialog.returnValue === "do" && doing().catch(tellError), { once: true });
  dialog.showModal();
}

find("invite")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const given = new FormData(event.target);
  const wanted = {
    role: given.get("role"),
    email: given.get("email").trim() || null,
    expires_at: new Date(Date.now() + Number(given.get("days")) * DAY_MS).toISOString(),
  };
  try {
    const invitation = await post(`${project}/invitations`, wanted);
    made.querySelector("[data-url]").textContent = invitation.url;
    made.hidden = false;
    made.scrollIntoView({ block: "nearest" });
    event.target.reset();
    refresh();
  } catch (error) {
    tellError(error);
  }
});

find("rename")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    const { name } = await patch(project, { name: event.target.elements.name.value.trim() });
    find("name").textContent = name;
    document.title = document.title.replace(/^.*(?= · guidesmith$)/s, () => name);
    tell(say("project-renamed"), "good");
  } catch (error) {
    tellError(error);
  }
});

find("places")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const wanted = [...new FormData(form)].map(([name, value]) => [name, value.trim() || null]);
  try {
    const placed = await patch(project, Object.fromEntries(wanted));
    for (const [name] of wanted) form.elements[name].value = placed[name] ?? "";
    tell(say("project-placed"), "good");
  } catch (error) {
    tellError(error);
  }
});

document.addEventListener("change", async ({ target }) => {
  if (!target.matches("[data-role]")) return;
  try {
    await patch(`${project}/members`, { user_id: target.dataset.role, role: target.value });
    tell(say("member-changed"), "good");
  } catch (error) {
    tellError(error);
  }
  refresh();
});

document.addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (!button) return;
  const { transfer, remove: who, uninvite, name } = button.dataset;
  if (button.matches("[data-copy]")) {
    navigator.clipboard.writeText(made.querySelector("[data-url]").textContent).then(() => tell(say("invitation-copied"), "good"), tellError);
  } else if (who !== undefined) {
    ask("remove", name, () => remove(`${project}/members?user_id=${encodeURIComponent(who)}`).then(refresh));
  } else if (transfer !== undefined) {
    ask("transfer", name, () => post(`${project}/transfer`, { user_id: transfer }).then(() => location.reload()));
  } else if (uninvite !== undefined) {
    remove(`${project}/invitations/${uninvite}`).then(refresh, tellError);
  } else if (button.matches("[data-delete]")) {
    ask("delete", find("name").textContent, () => remove(project).then(() => location.assign("/projects")));
  } else if (button.matches("[data-leave]")) {
    ask("leave", "", () => post(`${project}/leave`).then(() => location.assign("/projects")));
  }
});
