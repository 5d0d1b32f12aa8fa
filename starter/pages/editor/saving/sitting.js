// What is written here, kept by the server every few seconds beside the versions, and made a version where a person would
// make one: after a pause, and when the page is left.
import { post, put, remove } from "../../parts/api.js";
import { whenBack } from "../../parts/session.js";

const AFTER_MS = 1_500; // without a change
const LATEST_MS = 8_000; // while somebody types on and on
const AGAIN_MS = 5_000; // where it was not kept
const PAUSE_MS = 60_000;
const MOST_AT_LEAVING = 60_000; // bytes: what a browser still sends for a page that is left has at most 64 KiB

export class Sitting {
  #copy;
  #path;
  #told;
  #look;
  #paused;
  #seen; // what was looked at last
  #kept = null; // what the server keeps
  #mayRest = false; // something may be on the server
  #since = 0;
  #keeping = null;
  #waiting;
  #pausing;
  /** Why the last try came to nothing: an error of api.js, or null. */
  failed = null;

  /**
   * @param {WorkingCopy} copy
   * @param {{id: string, told: () => void, look: () => void, paused: () => void}} options `told`: what is kept has
   *   changed; `look`: the server knows a newer version; `paused`: nothing was written for a while
   */
  constructor(copy, { id, told, look, paused }) {
    this.#copy = copy;
    this.#path = `instructions/${copy.instruction}/sittings/${id}`;
    this.#told = told;
    this.#look = look;
    this.#paused = paused;
    copy.sitting = id;
  }

  get isKept() {
    return this.#isAsNow(this.#kept);
  }

  /** Whether leaving now loses nothing: what is not kept yet can still be sent. */
  get canLeave() {
    return !this.#copy.dirty || this.isKept || (!this.failed && size(this.#copy.body()) <= MOST_AT_LEAVING);
  }

  /** The document may have changed. */
  changed() {
    const { dirty } = this.#copy;
    if (this.#isAsNow(this.#seen) && this.#seen.dirty === dirty) return;
    this.#seen = { ...this.#now, dirty };
    clearTimeout(this.#waiting);
    clearTimeout(this.#pausing);
    if (!dirty) {
      this.#since = 0;
      this.failed = null;
      if (this.#mayRest) this.#drop();
      return;
    }
    this.#since ||= performance.now();
    this.#waiting = setTimeout(() => this.keep(), Math.max(0, Math.min(AFTER_MS, this.#since + LATEST_MS - performance.now())));
    this.#pausing = setTimeout(this.#paused, PAUSE_MS);
  }

  /** Ask again after a pause: it was no time for a version. */
  pauseLater() {
    clearTimeout(this.#pausing);
    this.#pausing = setTimeout(this.#paused, PAUSE_MS);
  }

  /** Nothing of this sitting is on its way any more once this is done. */
  async settled() {
    clearTimeout(this.#waiting);
    await this.#keeping;
  }

  /** Keep what is written, now. */
  async keep({ keepalive = false } = {}) {
    clearTimeout(this.#waiting);
    if (this.#keeping && !keepalive) await this.#keeping;
    if (!this.#copy.dirty || this.isKept) return;
    const now = this.#now;
    const { as_marked: _, sitting_id: __, ...body } = this.#copy.body();
    if (keepalive && size(body) > MOST_AT_LEAVING) return;
    this.#since = 0;
    this.#mayRest = true;
    const keeping = put(this.#path, body, { keepalive })
      .then(({ current_version: newest, kept_at: at }) => {
        this.#kept = now;
        this.#copy.keptAt = at;
        this.failed = null;
        if (newest > now.version) this.#look();
      })
      .catch((error) => this.#refused(error));
    await this.#underWay(keeping);
  }

  /** The page is left: what is written becomes a version, if nobody saved meanwhile. */
  leave() {
    const keepalive = true;
    if (!this.#copy.dirty) return;
    this.#seen = undefined; // a page that comes back goes on
    clearTimeout(this.#waiting);
    clearTimeout(this.#pausing);
    if (this.isKept) post(`${this.#path}/save`, {}, { keepalive }).catch(() => {}); // it is kept all the same
    else if (size(this.#copy.body()) <= MOST_AT_LEAVING) put(`instructions/${this.#copy.instruction}`, this.#copy.body(), { keepalive }).catch(() => {});
  }

  get #now() {
    return { blocks: this.#copy.blocks, version: this.#copy.base.version };
  }

  /** Whether something was so much of this version: the same blocks are other work where the version is another. */
  #isAsNow(some) {
    return some?.blocks === this.#copy.blocks && some?.version === this.#copy.base.version;
  }

  #drop() {
    this.#kept = null;
    this.#mayRest = false;
    const dropping = (this.#keeping ?? Promise.resolve())
      .then(() => remove(this.#path))
      .catch(() => {}); // it says what a version says, or is offered again
    this.#underWay(dropping);
  }

  /** Nothing else is sent meanwhile, but by a page that is left. */
  async #underWay(sending) {
    const mine = (this.#keeping = sending.finally(() => {
      if (this.#keeping === mine) this.#keeping = null;
      this.#told();
    }));
    await mine;
  }

  #refused(error) {
    this.failed = error;
    if (error.status === 401) whenBack(() => this.keep());
    else if (error.status === 0 || error.status === 429 || error.status >= 500) this.#waiting = setTimeout(() => this.keep(), AGAIN_MS);
  }
}

const size = (body) => new Blob([JSON.stringify(body)]).size;
