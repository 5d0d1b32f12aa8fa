// A folder's guides, or all, as a website.
import { get } from "../parts/api.js";
import { say } from "../parts/strings.js";
import { exported, SITE } from "./exporting.js";

const PAGE = 100;
const MOST = 200;

/**
 * Publish the guides of a folder that have a document; of all folders, where none is named.
 * @param {(dialog: HTMLDialogElement) => Promise<Record<string, string> | null>} asked waits for a dialog's answer
 */
export async function published({ publish: folder, name }, asked) {
  const dialog = document.querySelector("[data-publish-dialog]");
  dialog.querySelector("form").elements.title.value = name || say("guides-publish-own");
  const answer = await asked(dialog);
  if (!answer) return;
  const originals = await listed(folder);
  const guides = answer.translations ? await withTranslations(originals) : originals;
  if (!guides.length) throw new Error(say("guides-export-none"));
  if (guides.length > MOST) throw new Error(say("guides-publish-many", { most: MOST }));
  await exported(guides, SITE, answer.title.trim());
}

/** Each guide, and behind it its translations. */
async function withTranslations(originals) {
  const guides = [];
  for (const guide of originals) {
    const { items } = await get(`instructions/${guide.instruction}/translations`);
    guides.push(guide, ...items.map(({ title, instruction_version_id: version }) => ({ id: guide.id, title, version })));
  }
  return guides;
}

async function listed(folder) {
  const guides = [];
  const query = new URLSearchParams({ sort: "made", limit: PAGE });
  if (folder) query.set("project_id", folder);
  do {
    const page = await get(`guides?${query}`);
    for (const { job_id: id, title, instruction_id: instruction, instruction_version_id: version } of page.items) if (version) guides.push({ id, title, instruction, version });
    query.set("cursor", page.next_cursor ?? "");
  } while (query.get("cursor"));
  return guides;
}
