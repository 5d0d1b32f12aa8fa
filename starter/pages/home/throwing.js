// Guides are thrown away, and come back by a press.
import { post } from "../parts/api.js";
import { ask } from "../parts/asking.js";
import { tell, tellError } from "../parts/messages.js";
import { say } from "../parts/strings.js";

/**
 * Put guides into the bin; those that are being made are asked about, and stopped before.
 * @param {{id: string, state: string}[]} guides
 * @param {() => void} back is called once they were given back
 * @returns {Promise<boolean>} whether any of them was thrown away
 */
export async function thrownAway(guides, back) {
  const making = guides.filter(({ state }) => state === "making");
  if (making.length && !(await ask({ title: say("throw-making-title"), text: say("throw-making-text", { count: making.length }), yes: say("throw-making-yes"), danger: true }))) return false;
  const gone = [];
  for (const { id } of making) await post(`jobs/${id}/cancel`).catch(() => {}); // it may have ended by itself
  for (const { id } of guides) {
    try {
      await post(`guides/${id}/bin`);
      gone.push(id);
    } catch (error) {
      tellError(error);
    }
  }
  if (!gone.length) return false;
  const undo = async () => {
    for (const id of gone) await post(`guides/bin/${id}/restore`);
    tell(say("throw-undone", { count: gone.length }), "good");
    back();
  };
  tell(say("throw-done", { count: gone.length }), "plain", { words: say("throw-undo"), doing: () => undo().catch(tellError) });
  return true;
}
