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
  const guides = await listed(folder, Boolean(answer.translations));
  if (!guides.length) throw new Error(say("guides-export-none"));
  if (guides.length > MOST) throw new Error(say("guides-publish-many", { most: MOST }));
  await exported(guides, SITE, answer.title.trim());
}

/** The guides that have a document, each with its translations behind it where these are wanted. */
async function listed(folder, translations) {
  const guides = [];
  const query = new URLSearchParams({ sort: "made", limit: PAGE, translations });
  if (folder) query.set("project_id", folder);
  do {
    const page = await get(`guides?${query}`);
    for (const guide of page.items.filter((each) => each.instruction_version_id))
      for (const { title, instruction_version_id: version } of [guide, ...(guide.translations ?? [])]) guides.push({ id: guide.job_id, title, version });
    query.set("cursor", page.next_cursor ?? "");
  } while (query.get("cursor"));
  return guides;
}
