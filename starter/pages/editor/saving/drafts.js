// Unsaved changes, kept in the browser: by person, instruction, the version that they are of, and the tab.
import { once } from "../../parts/api.js";
import { stored } from "../../parts/storage.js";

const ALL = "guidesmith:draft:";
const TAB = "guidesmith:tab";
const MOST_AGE_MS = 30 * 24 * 3600 * 1000;

/** This tab's name. It outlasts a reload; a tab that was opened as a copy of another gets its own. */
async function tabName() {
  const known = sessionStorage.getItem(TAB);
  const name = known && (await take(known)) ? known : once();
  if (name !== known) await take(name);
  sessionStorage.setItem(TAB, name);
  return name;
}

/** Hold the tab's name for as long as the page is open, so that others see that its drafts have their tab. */
function take(name) {
  if (!navigator.locks) return Promise.resolve(true);
  return new Promise((taken, refused) => {
    const asked = navigator.locks.request(lockOf(name), { ifAvailable: true }, (lock) => {
      taken(lock !== null);
      return lock && new Promise(() => {});
    });
    asked.catch(refused); // some browsers have no locks where storage is switched off
  });
}

const lockOf = (name) => `guidesmith:tab:${name}`;

export class Drafts {
  #prefix;
  #tab;
  #spared = new Set(); // versions

  static async of(owner, instruction) {
    const drafts = new Drafts();
    drafts.#prefix = `${ALL}${owner}:${instruction}:`;
    try {
      drafts.#tab = await tabName();
    } catch {
      drafts.#tab = once(); // storage is switched off: there are no drafts then
    }
    return drafts;
  }

  /** The tab's name: a UUID. */
  get tab() {
    return this.#tab;
  }

  /** Whether another tab of this browser has the name. */
  async isOpen(tab) {
    return tab !== this.#tab && (await this.#held()).has(lockOf(tab));
  }

  /**
   * Keep `blocks`, changes of `base`, a version's number; whether that worked: storage may be full or switched off.
   * `left`: the page is left, and they are on their way to be a version.
   */
  keep(base, blocks, { left = false } = {}) {
    if (!this.#put(base, { at: Date.now(), blocks, left })) return false; // what was kept before is still there
    this.#drop((draft) => draft.base !== base && !this.#spared.has(draft.base));
    return true;
  }

  /** The tab's own drafts, else those of the tab that is gone and kept one last: they are this tab's from now on. */
  async find() {
    const held = await this.#held();
    const left = this.#all().filter(({ tab }) => tab === this.#tab || !held.has(lockOf(tab)));
    left.sort((one, other) => other.at - one.at);
    const whose = left.some(({ tab }) => tab === this.#tab) ? this.#tab : left[0]?.tab;
    const found = left.filter(({ tab }) => tab === whose);
    if (whose === this.#tab) return found;
    for (const { key, base, at, blocks } of found) {
      localStorage.removeItem(key); // first: there may be no room for two
      this.#put(base, { at, blocks });
    }
    return found;
  }

  /** Let these stand, of other versions, until they are settled. */
  spare(drafts) {
    for (const { base } of drafts) this.#spared.add(base);
  }

  /** One that was spared has become part of the document, or is not wanted. */
  settle({ base }) {
    this.#spared.delete(base);
    this.#drop((draft) => draft.base === base);
  }

  /** Forget the tab's own. */
  forget() {
    this.#drop((draft) => !this.#spared.has(draft.base));
  }

  #put(base, draft) {
    try {
      localStorage.setItem(`${this.#prefix}${base}:${this.#tab}`, JSON.stringify(draft));
      return true;
    } catch {
      return false;
    }
  }

  async #held() {
    const { held } = (await navigator.locks?.query().catch(() => null)) ?? { held: [] };
    return new Set(held.map(({ name }) => name));
  }

  #drop(unwanted) {
    for (const draft of this.#all()) if (draft.tab === this.#tab && unwanted(draft)) localStorage.removeItem(draft.key);
  }

  #all() {
    return kept().flatMap(({ key, at, blocks, left }) => {
      if (!key.startsWith(this.#prefix)) return [];
      const [base, tab] = key.slice(this.#prefix.length).split(":");
      return [{ key, base: Number(base), tab, at, blocks, left }];
    });
  }
}

/** Every draft in this browser. Old ones go, whosever they are, and so does what cannot be read. */
function kept() {
  const found = () =>
    Object.keys(localStorage).flatMap((key) => {
      if (!key.startsWith(ALL)) return [];
      const draft = stored(() => read(localStorage.getItem(key)), null);
      if (draft) return [{ key, ...draft }];
      localStorage.removeItem(key);
      return [];
    });
  return stored(found, []);
}

function read(text) {
  const { at, blocks, left = false } = JSON.parse(text);
  const isDraft = Date.now() - at <= MOST_AGE_MS && blocks.every(({ id, markdown, gap }) => [id, markdown, gap].every((each) => typeof each === "string"));
  return isDraft ? { at, blocks, left } : null;
}
