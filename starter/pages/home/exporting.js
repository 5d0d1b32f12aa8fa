// Many guides are exported at once, and fetched as one file as soon as all of them are there.
import { get, post } from "../parts/api.js";
import { make } from "../parts/elements.js";
import { tell } from "../parts/messages.js";
import { say } from "../parts/strings.js";

const LOOK_MS = 700;
const ENDED = ["SUCCEEDED", "FAILED"];

/**
 * Export each guide, and save what was made: one file as it is, several as a ZIP.
 * @param {{id: string, title: string, version: string}[]} guides
 */
export async function exported(guides, format) {
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
    for (const { id, version } of guides) asked.push(await post(`jobs/${id}/exports`, { format, instruction_version_id: version }));
    const ends = [];
    for (const each of asked) {
      ends.push(await ended(each));
      told(ends.length);
    }
    const made = ends.filter(({ status }) => status === "SUCCEEDED");
    const failed = guides.filter((_, place) => ends[place].status !== "SUCCEEDED");
    if (failed.length) tell(say("exporting-failed", { titles: failed.map(({ title }) => title).join(", ") }), "bad");
    if (made.length) save(made);
  } finally {
    toast.remove();
  }
}

async function ended(one) {
  while (!ENDED.includes(one.status)) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    one = await get(`exports/${one.id}`);
  }
  return one;
}

function save(made) {
  const several = made.length > 1;
  const address = several ? `/api/v1/guides/exports.zip?export_ids=${made.map(({ id }) => id).join(",")}` : `/exports/${made[0].id}/file`;
  const link = make("a", { href: address, download: true, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  tell(say("exporting-done", { count: made.length }), "good");
}
