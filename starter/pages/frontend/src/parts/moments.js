// Times, written by the server in UTC, in the reader's zone and language.
const near = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const exact = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const far = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });

/** Write every time under `root` for its reader. */
export function localise(root) {
  for (const element of root.querySelectorAll("time[data-moment]")) {
    const at = new Date(element.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    const today = at.toDateString() === new Date().toDateString();
    element.textContent = (today ? (element.dataset.moment ? exact : near) : far).format(at);
    element.title = whole.format(at);
  }
}

const seen = new WeakMap(); // element -> the seconds that the server told, and when that was

/** How long what `element` tells of has been going on: counted from what the server said, whatever the clock here is. */
export function elapsed(element) {
  const told = element.dataset.elapsed;
  if (seen.get(element)?.told !== told) seen.set(element, { told, at: performance.now() });
  return clock(1000 * Number(told) + performance.now() - seen.get(element).at);
}

/** Milliseconds as `1:05` or `1:02:03`. */
export function clock(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (number) => String(number).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}:${two(seconds % 60)}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}
