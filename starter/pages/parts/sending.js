// One file on its way: in parts, several at once, again where one is lost, and on from where it was after a reload.
import { get, post, Refused } from "./api.js";
import { isOver, whenBack } from "./session.js";
import { say } from "./strings.js";

const AT_ONCE = 3;
const ADDRESSES = 50;
const FIRST_WAIT_MS = 800;
const LONGEST_WAIT_MS = 15000;
const SPEED_OVER_MS = 8000;
const STALLED_AFTER_MS = 60_000; // a connection that died without a word takes nothing any more

/** Stopped by its user. */
export class Stopped extends Error {}

export class Sending {
  /**
   * @param {File} file
   * @param {() => Promise<{upload_url: string, parts_url: string, part_size: number}>} session begins the upload, or
   *   goes on with it: called again where its address has expired
   * @param {(facts: {sent: number, speed: number, remaining: number | null, waiting: boolean}) => void} told bytes,
   *   bytes a second, seconds
   */
  constructor(file, session, told) {
    this.file = file;
    this.begin = session;
    this.told = told;
    this.inFlight = new Map();
    this.requests = new Set();
    this.samples = [];
    this.addresses = new Map();
    this.done = 0;
    this.waiting = false;
    this.stopped = false;
  }

  stop() {
    this.stopped = true;
    for (const request of this.requests) request.abort();
    this.wake?.();
  }

  /** Send what has not arrived; answers the session, once everything is there. */
  async run() {
    this.upload = await this.patiently(() => this.begin());
    const size = this.upload.part_size;
    const count = Math.max(1, Math.ceil(this.file.size / size));
    const arrived = await this.patiently(() => get(pathOf(this.upload.upload_url)));
    const left = [];
    for (let part = 1; part <= count; part++) if (!arrived.received_parts.includes(part)) left.push(part);
    this.done = this.file.size - left.reduce((sum, part) => sum + this.sliceOf(part, size).size, 0);
    const work = async () => {
      for (let part = left.shift(); part !== undefined; part = left.shift()) await this.deliver(part, this.sliceOf(part, size), left);
    };
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    } catch (error) {
      this.stop(); // the others, too
      throw error;
    }
    return this.upload;
  }

  /** Send one part, however long that takes; `next`: the numbers of those that come after it. */
  async deliver(part, slice, next = []) {
    await this.patiently(async () => {
      try {
        const { url, headers } = await this.addressOf(part, next);
        await this.put(part, url, headers, slice);
      } catch (error) {
        this.addresses.delete(part);
        if (error.status === 410 || error.status === 403) this.upload = await this.begin();
        throw error;
      }
    });
    this.inFlight.delete(part);
    this.done += slice.size;
    this.tell();
  }

  /** Where a part goes; asked for once for many. */
  async addressOf(part, next) {
    if (!this.addresses.has(part)) {
      const numbers = [part, ...next.slice(0, ADDRESSES - 1)];
      const { parts } = await post(pathOf(this.upload.parts_url), { numbers });
      for (const each of parts) this.addresses.set(each.part, each);
    }
    return this.addresses.get(part);
  }

  sliceOf(part, size) {
    return this.file.slice((part - 1) * size, part * size);
  }

  put(part, url, headers, slice) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest(); // fetch tells nothing of how far a body is
      this.requests.add(request);
      request.open("PUT", ours(url));
      for (const [name, value] of Object.entries(headers)) {
        if (name.toLowerCase() !== "content-length") request.setRequestHeader(name, value); // the browser's own business
      }
      let stalled;
      const moved = () => {
        clearTimeout(stalled);
        stalled = setTimeout(() => request.abort(), STALLED_AFTER_MS);
      };
      moved();
      request.upload.onprogress = ({ loaded }) => {
        moved();
        this.inFlight.set(part, loaded);
        this.tell();
      };
      request.onloadend = () => {
        clearTimeout(stalled);
        this.requests.delete(request);
        this.inFlight.delete(part);
        if (request.status >= 200 && request.status < 300) resolve();
        else refused(request, slice).then(reject);
      };
      request.send(slice);
    });
  }

  /** Try `work` until it works: what a lost connection or a busy server breaks is done again, with growing pauses. */
  async patiently(work) {
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      if (this.stopped) throw new Stopped();
      try {
        const result = await work();
        this.waiting = false;
        return result;
      } catch (error) {
        if (this.stopped) throw new Stopped();
        if (!passes(error)) throw error;
        this.waiting = true;
        this.tell();
        if (error.status === 401) await this.session();
        else await this.pause(wait);
      }
    }
  }

  pause(ms) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
      addEventListener("online", this.wake, { once: true });
    });
  }

  /** Until somebody has signed in again, or it is stopped. */
  session() {
    if (!isOver()) return this.pause(FIRST_WAIT_MS);
    return new Promise((resolve) => {
      whenBack(resolve);
      this.wake = resolve;
    });
  }

  tell() {
    const now = performance.now();
    const sent = this.done + [...this.inFlight.values()].reduce((sum, each) => sum + each, 0);
    this.samples.push([now, sent]);
    while (this.samples[0][0] < now - SPEED_OVER_MS) this.samples.shift();
    const [since, before] = this.samples[0];
    const speed = now > since ? (1000 * (sent - before)) / (now - since) : 0;
    const remaining = speed > 0 ? (this.file.size - sent) / speed : null;
    this.told({ sent: Math.min(sent, this.file.size), speed, remaining, waiting: this.waiting });
  }
}

const NAME_MOST = 200;

/** A file's name as it can be sent: its end, where it is longer than anybody reads. */
export const nameOf = ({ name }) => [...name.replace(/\p{Cc}|\p{Cs}/gu, "")].slice(-NAME_MOST).join("") || "file";

/** Signed addresses of our own API as the page itself reaches it: another name of this host would be another origin. */
export function ours(url) {
  const parts = new URL(url, location.href);
  return parts.pathname.startsWith("/api/v1/") ? parts.pathname + parts.search : url;
}

/** The same as a path of api.js. */
export const pathOf = (url) => ours(url).replace(/^\/api\/v1\//, "");

function passes(error) {
  return error instanceof Refused && (error.status === 0 || error.status === 401 || error.status === 408 || error.status === 410 || error.status === 429 || error.status >= 500 || error.status === 403);
}

/** What went wrong with a part. A file that has changed since it was chosen breaks off as a lost connection does. */
async function refused(request, slice) {
  const isThere = request.status !== 0 || (await slice.slice(0, 1).arrayBuffer().then(() => true, () => false));
  return isThere ? refusalOf(request) : new Refused(422, { code: "FILE_CHANGED", message: say("failed-file-changed") });
}

function refusalOf(request) {
  let told = null;
  try {
    told = JSON.parse(request.responseText);
  } catch {
    /* an object store's own words */
  }
  if (request.status === 0) return new Refused(0, { code: "UNREACHABLE", message: say("failed-unreachable") });
  // the credentials of a signed address have ended, though not the address: Amazon's answer is 400, others' 403
  const status = /<Code>(ExpiredToken|TokenRefreshRequired)</.test(request.responseText) ? 403 : request.status;
  return new Refused(status, told ?? { code: "UPLOAD_FAILED", message: say("failed-upload", { status: request.status }) });
}
