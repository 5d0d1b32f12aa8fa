// Server-sent events that outlast a lost connection, and the line that says when it is lost.
import { ask, isOver, whenBack } from "./session.js";

export const FIRST_WAIT_MS = 500;
export const LONGEST_WAIT_MS = 8000;
const lost = new Set();

/**
 * Follow `path`; `heard` is called with (event name, parsed data, id). The browser reconnects by itself with
 * Last-Event-ID; where it gives up (an error status), so do we, with growing pauses. A page that nobody sees follows
 * nothing, and catches up when it is seen: a browser has six connections to a server, for all of its tabs.
 * @param {{from?: string, back?: () => void}} options `from`: the last event that is known already; `back` is called
 *   when a lost connection is back: what was asked for meanwhile has failed
 * @returns {() => void} stops
 */
export function follow(path, names, heard, { from = "", back = () => {} } = {}) {
  let source = null;
  let last = from;
  let wait = FIRST_WAIT_MS;
  let timer;
  let pause = null; // before it is opened again
  const open = () => {
    pause = null;
    const more = path.includes("?") ? "&" : "?";
    source = new EventSource(last ? `${path}${more}last_event_id=${encodeURIComponent(last)}` : path);
    source.onopen = () => {
      wait = FIRST_WAIT_MS;
      if (lost.has(path)) back();
      mark(path, false);
    };
    source.onerror = () => {
      mark(path, true);
      if (source.readyState !== EventSource.CLOSED) return;
      source = null;
      again();
    };
    for (const name of names) {
      source.addEventListener(name, (event) => {
        if (event.lastEventId) last = event.lastEventId;
        heard(name, event.data ? JSON.parse(event.data) : null, event.lastEventId);
      });
    }
  };
  const again = async () => {
    const turn = (pause = {});
    await ask(); // the browser does not tell which status it was
    if (pause !== turn) return;
    if (isOver()) {
      mark(path, true);
      whenBack(() => pause === turn && open());
    } else timer = setTimeout(open, wait);
    wait = Math.min(2 * wait, LONGEST_WAIT_MS);
  };
  const close = () => {
    pause = null;
    clearTimeout(timer);
    source?.close();
    source = null;
  };
  const look = () => {
    if (document.visibilityState === "hidden") close();
    else if (source === null && pause === null) open();
  };
  const shown = ({ persisted }) => {
    if (!persisted) return;
    look();
    back();
  };
  document.addEventListener("visibilitychange", look);
  addEventListener("pagehide", close);
  addEventListener("pageshow", shown);
  look();
  return () => {
    document.removeEventListener("visibilitychange", look);
    removeEventListener("pagehide", close);
    removeEventListener("pageshow", shown);
    close();
    mark(path, false);
  };
}

/** `what` has (not) lost its connection; where the session is over, another line says that. */
export function mark(what, isLost) {
  if (isLost) lost.add(what);
  else lost.delete(what);
  const line = document.querySelector("[data-lost]");
  if (line) line.hidden = lost.size === 0 || isOver();
}
