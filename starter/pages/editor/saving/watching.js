// Whether somebody else has saved the instruction: told by other tabs of this browser and by the job's events, and asked
// for now and then. The events tell of comments and of who else is here, too.
import { get } from "../../parts/api.js";
import { follow } from "../../parts/live.js";
import { channel } from "../../parts/tabs.js";
import { attend, desk, present } from "../../presence/presence.js";

const { people } = JSON.parse(document.getElementById("comments").textContent);

/** What to call somebody in the project. */
export const named = (subject) => people[subject] ?? subject;

const EVERY_MS = 15_000;

/**
 * `heard({version, author})` whenever the newest version is known anew.
 * @returns {{tell: (version: number, author: string) => void, look: () => void}} tells the other tabs; asks now
 */
export function watchVersions({ instruction, job, from }, heard) {
  const others = channel(`guidesmith:instruction:${instruction}`, heard);
  const look = async () => {
    if (document.visibilityState === "hidden") return;
    const newest = await get(`instructions/${instruction}/versions?limit=1`).catch(() => null); // asked again anyway
    if (newest) heard(newest.items[0]);
  };
  setInterval(look, EVERY_MS);
  document.addEventListener("visibilitychange", look);
  const told = (name, data) => {
    if (name === "presence") return present(data.people);
    if (name === "comment" || name === "resync") document.body.dispatchEvent(new Event("comments-changed"));
    return name === "comment" ? undefined : look();
  };
  follow(`/api/v1/jobs/${job}/events?presence=${desk}`, ["status", "task", "comment", "presence", "resync"], told, { from: String(from) });
  attend(instruction);
  return { look, tell: (version, author) => others({ version, author }) };
}
