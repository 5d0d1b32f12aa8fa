// Unsaved changes, kept in the browser: by person, instruction, the version that they are of, and the tab.
const TAB = "guidesmith:tab";
const MOST_AGE_MS = 30 * 24 * 3600 * 1000;

/** This tab's name. It outlasts a reload; a tab that was opened as a copy of another gets its own. */
async function tabName() {
  const known = sessionStorage.getItem(TAB);
  const name = known && (await take(known)) ? known : crypto.randomUUID();
  if (name !== known) await take(name);
  sessionStorage.setItem(TAB, name);
  return name;
}

/** Hold the tab's name for as long as the page is open, so that others see that its drafts have their tab. */
function take(name) {
  if (!navigator.locks) return Promise.resolve(true);
  return new Promise((taken) => {
    navigator.locks.request(lockOf(name), { ifAvailable: true }, (lock) => {
      taken(lock !== null);
      return lock && new Promise(() => {});
    });
  });
}

const lockOf = (name) => `guidesmith:tab:${name}`;

export class Drafts {
  #prefix;
  #tab;

  static async of(owner, instruction) {
    const drafts = new Drafts();
    drafts.#prefix = `guidesmith:draft:${owner}:${instruction}:`;
    try {
      drafts.#tab = await tabName();
    } catch {
      drafts.#tab = "only"; // storage is switched off: there are no drafts then
    }
    return drafts;
  }

  /** Keep `blocks`, changes of `base`, a version's number. */
  keep(base, blocks) {
    try {
      this.#drop((draft) => draft.tab === this.#tab && draft.base !== base);
      localStorage.setItem(`${this.#prefix}${base}:${this.#tab}`, JSON.stringify({ at: Date.now(), blocks }));
    } catch {
      // full or switched off: the page still asks before it is left
    }
  }

  /** The tab's own draft, else the newest one whose tab is gone; it is this tab's from now on. */
  async find() {
    const held = await this.#held();
    const left = this.#all().filter(({ tab }) => tab === this.#tab || !held.has(lockOf(tab)));
    const found = left.find(({ tab }) => tab === this.#tab) ?? left.toSorted((one, other) => other.at - one.at)[0];
    if (found && found.tab !== this.#tab) {
      localStorage.removeItem(found.key);
      this.keep(found.base, found.blocks);
    }
    return found ?? null;
  }

  /** Forget the tab's own. */
  forget() {
    this.#drop((draft) => draft.tab === this.#tab);
  }

  async #held() {
    if (!navigator.locks) return new Set();
    const { held } = await navigator.locks.query();
    return new Set(held.map(({ name }) => name));
  }

  #drop(unwanted) {
    for (const draft of this.#all()) if (unwanted(draft)) localStorage.removeItem(draft.key);
  }

  #all() {
    const found = [];
    try {
      for (const key of Object.keys(localStorage)) {
        if (!key.startsWith(this.#prefix)) continue;
        const [base, tab] = key.slice(this.#prefix.length).split(":");
        const { at, blocks } = JSON.parse(localStorage.getItem(key));
        if (Date.now() - at > MOST_AGE_MS) localStorage.removeItem(key);
        else found.push({ key, base: Number(base), tab, at, blocks });
      }
    } catch {
      return [];
    }
    return found;
  }
}
