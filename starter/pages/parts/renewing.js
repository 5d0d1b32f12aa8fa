// A part of the page, shown anew as the server has it: again, with growing pauses, until the server answers.
import htmx from "htmx.org/dist/htmx.esm.js";
import { FIRST_WAIT_MS, LONGEST_WAIT_MS, mark } from "./live.js";
import { heard, isOthers, whenBack } from "./session.js";

const waits = new WeakMap(); // element -> {timer, wait} of the next try
let leaves = false;

/** Whether the page is about to be left: that what it shows is gone by then is no reason to load it again. */
export function leaving(on) {
  leaves = on;
}

/**
 * Let `target` show what is at `address`. What stands there stays where the server refuses: that is tried again.
 * @returns {Promise<boolean>} whether it shows now
 */
export async function renew(target, address, again = () => renew(target, address)) {
  if (isOthers()) return false; // what is theirs does not belong here
  const before = waits.get(target);
  clearTimeout(before?.timer);
  let status = null; // null: the request gave way to another one
  const asked = async (...request) => {
    status = 0;
    const answer = await fetch(...request);
    ({ status } = answer);
    return answer;
  };
  await htmx.ajax("GET", address, { target, swap: "innerMorph", fetch: asked, ours: true });
  if (status !== null) {
    heard(status);
    mark(target, status === 0 || status === 429 || status >= 500);
  }
  if (status !== null && status >= 200 && status < 400) {
    waits.delete(target);
    return true;
  }
  if (status === 403 || status === 404) {
    if (!leaves) location.reload(); // it is gone: the whole page says so
  } else if (status === 401) whenBack(again);
  else {
    const wait = before?.wait ?? FIRST_WAIT_MS;
    waits.set(target, { timer: setTimeout(again, wait), wait: Math.min(2 * wait, LONGEST_WAIT_MS) });
  }
  return false;
}
