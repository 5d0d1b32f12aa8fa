// Server-sent events that outlast a lost connection, and the line that says when it is lost.
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8000;
const lost = new Set();

/**
 * Follow `path`; `heard` is called with (event name, parsed data, id). The browser reconnects by itself with
 * Last-Event-ID; where it gives up (an error status), so do we, with growing pauses.
 * @param {{from?: string, back?: () => void}} options `from`: the last event that is known already; `back` is called
 *   when a lost connection is back: what was asked for meanwhile has failed
 * @returns {() => void} stops
 */
export function follow(path, names, heard, { from = "", back = () => {} } = {}) {
  let source;
  let last = from;
  let wait = FIRST_WAIT_MS;
  let timer;
  const open = () => {
    source = new EventSource(last ? `${path}?last_event_id=${encodeURIComponent(last)}` : path);
    source.onopen = () => {
      wait = FIRST_WAIT_MS;
      if (lost.has(path)) back();
      mark(path, false);
    };
    source.onerror = () => {
      mark(path, true);
      if (source.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(open, wait);
      wait = Math.min(2 * wait, LONGEST_WAIT_MS);
    };
    for (const name of names) {
      source.addEventListener(name, (event) => {
        if (event.lastEventId) last = event.lastEventId;
        heard(name, event.data ? JSON.parse(event.data) : null, event.lastEventId);
      });
    }
  };
  open();
  const stop = () => {
    clearTimeout(timer);
    source.close();
    mark(path, false);
  };
  addEventListener("pagehide", stop, { once: true });
  return stop;
}

function mark(path, isLost) {
  if (isLost) lost.add(path);
  else lost.delete(path);
  const line = document.querySelector("[data-lost]");
  if (line) line.hidden = lost.size === 0;
}
