// The session that has ended: it is said, and nobody is led away from what they have typed. Who signs in again in
// another tab goes on here.
import { channel } from "./tabs.js";

const line = document.querySelector("[data-signed-out]");
const waiting = new Set();
const { owner } = document.body.dataset;
const others = document.querySelector("[data-others]");

export const isOver = () => line !== null && !line.hidden;

/** Whether another person has signed in in this browser since the page came: what is done here would be done as them. */
export const isOthers = () => others !== null && !others.hidden;

let unsure = false; // somebody has signed out, or is about to sign in: whether here is to be asked
const tell = channel("guidesmith:owner", (signedIn) => {
  if (signedIn === null) unsure = true;
  else if (others) others.hidden = signedIn === owner;
  look();
});
tell(owner ?? null);

/** Do `work` once there is a session again. To ask and ask until then would count as attempts to come in. */
export const whenBack = (work) => void waiting.add(work);

/** What an answer of the server says of the session. */
export function heard(status) {
  if (line && status === 401) line.hidden = false;
  else if (isOver() && status >= 200 && status < 400) ask(); // or that one needed no session
}

/** Ask whether there is a session. */
export async function ask() {
  const answer = await fetch("/api/v1/credits", { headers: { Accept: "application/json" } }).catch(() => null);
  if (!line || !answer) return;
  unsure = false;
  if (answer.status === 401) line.hidden = false;
  if (!answer.ok || line.hidden) return;
  line.hidden = true;
  const works = [...waiting];
  waiting.clear();
  for (const work of works) work();
}

function look() {
  if (line && (isOver() || unsure) && document.visibilityState === "visible") ask();
}
document.addEventListener("visibilitychange", look);
addEventListener("focus", look);
