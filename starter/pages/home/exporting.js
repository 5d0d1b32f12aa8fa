// Many guides are exported at once, and fetched as one file as soon as all of them are there.
import { get, post, Refused } from "../parts/api.js";
import { make } from "../parts/elements.js";
import { tell } from "../parts/messages.js";
import { say } from "../parts/strings.js";

const LOOK_MS = 700;
const BUSY_MS = 3000;
const ENDED = ["SUCCEEDED", "FAILED"];
export const SITE = "SITE";

/**
 * Export each guide, and save what was made: one file as it is, several as a ZIP, or all as a website. Pages that were
 * put somewhere else are linked to.
 * @param {{id: string, title: string, version: string}[]} guides
 * @param {string} name what a website is called; its folder, if nothing
 */
export async function exported(guides, format, name = "") {
  const words = make("p", { role: "status" });
  const bar = make("progress", { max: guides.length, value: 0, "aria-label": say("exporting-progress") });
  const toast = make("div", { class: "toast exporting" }, make("div", { class: "exporting-words" }, words, bar));
  document.querySelector("[data-toasts]").append(toast);
  const told = (count) => {
    words.textContent = say("exporting", { count, all: guides.length });
    bar.value = count;
  };
  try {
    told(0);
    const asked = [];
    for (const { id, version } of guides) asked.push(await ask(id, { format, instruction_version_id: version }));
    const ends = [];
    for (const each of asked) {
      ends.push(await ended(each));
      told(ends.length);
    }
    const made = ends.filter(({ status }) => status === "SUCCEEDED");
    if (ends.some(({ provenance }) => provenance?.place)) return placed(guides, ends);
    const failed = guides.filter((_, place) => ends[place].status !== "SUCCEEDED");
    if (failed.length) tell(say("exporting-failed", { titles: failed.map(({ title }) => title).join(", ") }), "bad");
    if (made.length) save(made, format, name);
  } finally {
    toast.remove();
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Ask for an export; who asks for many is told to wait now and then. */
async function ask(id, wanted) {
  for (;;) {
    try {
      return await post(`jobs/${id}/exports`, wanted);
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 429) throw error;
      await pause(BUSY_MS);
    }
  }
}

async function ended(one) {
  while (!ENDED.includes(one.status)) {
    await pause(LOOK_MS);
    one = await get(`exports/${one.id}`);
  }
  return one;
}

/** What came of guides that were put somewhere else: a link to each page, and why one is not there. */
function placed(guides, ends) {
  const dialog = document.querySelector("[data-placed-dialog]");
  const count = ends.filter(({ status }) => status === "SUCCEEDED").length;
  dialog.querySelector("h2").textContent = say("exporting-placed", { count });
  dialog.querySelector("[data-placed-list]").replaceChildren(
    ...guides.map(({ title }, at) => {
      const { provenance, failure } = ends[at];
      const { place } = provenance ?? {};
      if (place) return make("li", {}, make("a", { href: place.url, target: "_blank", rel: "noopener noreferrer" }, title));
      return make("li", { class: "bad" }, `${title}: ${failure?.failure_message ?? ""}`);
    }),
  );
  dialog.showModal();
}

function save(made, format, name) {
  const ids = made.map(({ id }) => id).join(",");
  let address = made.length > 1 ? `/api/v1/guides/exports.zip?export_ids=${ids}` : `/exports/${made[0].id}/file`;
  if (format === SITE) address = `/api/v1/guides/site.zip?${new URLSearchParams({ export_ids: ids, title: name })}`;
  const link = make("a", { href: address, download: true, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  tell(say("exporting-done", { count: made.length }), "good");
}
