// What keeps the work of this tab while it is no version yet: the browser at once, the server every few seconds; and what
// was kept before the page came.
import { get, remove } from "../../parts/api.js";
import { tellError } from "../../parts/messages.js";
import { say } from "../../parts/strings.js";
import * as edit from "../blocks.js";
import { notice, withdraw } from "../notices.js";
import { Drafts } from "./drafts.js";
import { onto } from "./merging.js";
import { Sitting } from "./sitting.js";

const DRAFT_AFTER_MS = 400;
const ARRIVES_WITHIN_MS = 10_000;
const [ARRIVAL_TRIES, ARRIVAL_EVERY_MS] = [10, 200];

const when = ({ at }) => new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" }).format(at);

export class Keeping {
  #copy;
  #context;
  #options;
  #drafts = null;
  #sitting = null;
  #timer;

  /** @param {{told: () => void, look: () => void, paused: () => void}} options as a sitting takes them */
  constructor(copy, context, options) {
    this.#copy = copy;
    this.#context = context;
    this.#options = options;
    addEventListener("pagehide", () => this.#leave());
    document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && (this.#now(), this.#sitting?.keep({ keepalive: true })));
    addEventListener("beforeunload", (event) => {
      if (copy.dirty && !this.#sitting?.canLeave) event.preventDefault();
    });
  }

  /** The document may have changed. */
  changed() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#now(), DRAFT_AFTER_MS);
    this.#sitting?.changed();
  }

  /** What there is to say of work that is no version yet: "kept", "unkept", or "unsaved", which it is not for long. */
  get status() {
    if (this.#sitting?.isKept) return "kept";
    return this.#sitting?.failed ? "unkept" : "unsaved";
  }

  /** Wait until nothing is on its way to the server. */
  async settled() {
    await this.#sitting?.settled();
  }

  pauseLater() {
    this.#sitting?.pauseLater();
  }

  /** Begin, with what was kept before. */
  async begin() {
    const { owner, sittings } = this.#context;
    const copy = this.#copy;
    const kept = await Drafts.of(owner, copy.instruction);
    const found = (await kept.find()).map((draft) => ({ ...draft, blocks: edit.known(draft.blocks, copy.base.blocks) }));
    await this.#arrived(found);
    this.#drafts = kept;
    this.#sitting = new Sitting(copy, { id: kept.tab, ...this.#options });
    const open = found.filter(({ blocks }) => !saysSame(blocks, copy.base.blocks));
    const isOlder = ({ base }) => base !== copy.base.version;
    const older = open.filter(isOlder);
    kept.spare(older); // not to be written over before they are merged or discarded
    const mine = open.find((each) => !isOlder(each));
    if (mine) this.#goOn(mine);
    if (older.length) this.#offer(older[0]);
    await this.#elsewhere(sittings, new Set(found.map(({ tab }) => tab))).catch(tellError);
    this.changed();
  }

  /** What this tab saved as it was left may be there only now. */
  async #arrived(found) {
    const isComing = ({ left, at }) => left && Date.now() - at < ARRIVES_WITHIN_MS;
    for (let tries = 0; tries < ARRIVAL_TRIES && found.some(isComing); tries++) {
      if (found.some(({ blocks }) => saysSame(blocks, this.#copy.base.blocks))) return;
      if (tries) await new Promise((resolve) => setTimeout(resolve, ARRIVAL_EVERY_MS));
      const state = await this.#copy.read().catch(() => null);
      if (!state) return;
      if (found.some(({ blocks }) => saysSame(blocks, state.blocks))) return this.#copy.adopt(state);
    }
    return undefined;
  }

  /** What the server keeps of other desks, and of this one where the browser has nothing. `known`: tabs whose work is here. */
  async #elsewhere(sittings, known) {
    const copy = this.#copy;
    for (const { sitting_id: id, base_version: base, kept_at: at } of sittings) {
      if (id !== this.#drafts.tab && (await this.#drafts.isOpen(id))) continue; // its tab has it
      if (known.has(id)) {
        if (id !== this.#drafts.tab) await this.#forget(id); // gone over to this one
        continue;
      }
      const { markdown, blocks: marks } = await get(`instructions/${copy.instruction}/sittings/${id}`);
      const blocks = edit.read(markdown, marks, copy.base.blocks);
      if (saysSame(blocks, copy.base.blocks)) await this.#forget(id);
      else if (base === copy.base.version && id === this.#drafts.tab) this.#goOn({ at: Date.parse(at), blocks });
      else return this.#offer({ base, at: Date.parse(at), blocks, sitting: id });
    }
    return undefined;
  }

  #forget(id) {
    return remove(`instructions/${this.#copy.instruction}/sittings/${id}`);
  }

  #now() {
    if (!this.#drafts) return;
    const { dirty, base, blocks } = this.#copy;
    const isKept = !dirty || this.#drafts.keep(base.version, blocks);
    if (!dirty) this.#drafts.forget(), withdraw("draft");
    if (isKept) withdraw("unkept");
    else if (!document.querySelector('[data-notice="unkept"]')) notice("unkept", say("draft-unkept"));
  }

  #leave() {
    clearTimeout(this.#timer);
    if (!this.#drafts || !this.#copy.dirty) return this.#now();
    this.#drafts.keep(this.#copy.base.version, this.#copy.blocks, { left: true });
    return this.#sitting.leave();
  }

  /** Go on with a draft of this version; what was typed since the page came stays. */
  #goOn(draft) {
    const copy = this.#copy;
    copy.change(copy.dirty ? onto(copy.base.blocks, copy.blocks, draft.blocks) : draft.blocks);
    notice("draft", say("draft-restored", { at: when(draft) }), [
      { words: say("draft-discard"), doing: () => (this.#drafts.forget(), copy.change(copy.base.blocks), withdraw("draft")) },
    ]);
  }

  #offer(draft) {
    notice("older", say("draft-older", { number: draft.base, at: when(draft) }), [
      { words: say("draft-merge"), doing: () => this.#merge(draft).catch(tellError) },
      { words: say("draft-discard"), doing: () => this.#settle(draft).catch(tellError) },
    ]);
  }

  async #settle(draft) {
    if (draft.sitting) await this.#forget(draft.sitting);
    else this.#drafts.settle(draft);
    withdraw("older");
  }

  /** Put a draft of an older version together with what is here. */
  async #merge(draft) {
    const copy = this.#copy;
    const ground = await copy.read(draft.base);
    const { settleConflict } = await import("./conflict.js");
    const blocks = await settleConflict({ base: ground.blocks, mine: draft.blocks, theirs: copy.blocks, number: copy.base.version, saves: false });
    if (!blocks) return;
    copy.change(blocks);
    this.#now(); // first
    await this.#settle(draft);
  }
}

/** Whether two lists read the same, whichever moment was picked: a version has it among what it knows of the block. */
const saysSame = (one, other) => edit.same(...[one, other].map((blocks) => blocks.map(({ at: _, ...rest }) => rest)));
