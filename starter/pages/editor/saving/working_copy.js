// What is worked on: the version that the server has, the document as it is here, and how one becomes the other.
import { post, put, Refused } from "../../parts/api.js";
import { heard } from "../../parts/session.js";
import { say } from "../../parts/strings.js";
import { render, said, same } from "../blocks.js";
import { History } from "./history.js";
import { onto } from "./merging.js";
import { remember } from "../preview.js";

const UNKNOWN = { role: "text", start_ms: null, end_ms: null, cited: [], issues: [], anchors: [] };

export class WorkingCopy {
  #changed;
  #showing = Promise.resolve();
  /** When the sitting was kept last, as the server said; null where it was not. */
  keptAt = null;

  /** @param {object} state of the page's version; `changed` is called after every change */
  constructor(state, changed) {
    this.instruction = state.instruction_id;
    this.job = state.job_id;
    this.facts = new Map();
    this.#changed = changed;
    this.#ground(state);
    this.history = new History(this.base.blocks, this.#shown());
  }

  get blocks() {
    return this.history.now;
  }

  get dirty() {
    return !same(this.base.blocks, this.blocks);
  }

  /** The text of a block here, or undefined. */
  text(id) {
    return this.blocks.find((each) => each.id === id)?.markdown;
  }

  change(blocks, joins) {
    if (blocks === this.blocks) return;
    this.history.to(blocks, joins);
    this.#changed();
  }

  undo() {
    return this.#went(() => this.history.undo());
  }

  redo() {
    return this.#went(() => this.history.redo());
  }

  /** Go a step back or on. Pictures go with it, by the server: each may be there again a moment later. */
  async #went(step) {
    const before = this.history.shows;
    step();
    this.#changed();
    const after = this.history.shows;
    const others = [...new Set([...before.keys(), ...after.keys()])].filter((anchor) => (before.get(anchor) ?? null) !== (after.get(anchor) ?? null));
    if (!others.length) return;
    this.#showing = this.#showing.catch(() => {}).then(() => this.#show(others, after)); // one step after the other
    await this.#showing;
  }

  async #show(others, after) {
    try {
      for (const anchor of others) {
        const asset = after.get(anchor);
        await post(asset ? `anchors/${anchor}/assets/${asset}/show?deleted=true` : `anchors/${anchor}/hide`);
      }
    } finally {
      await this.refresh();
    }
  }

  /**
   * Save `blocks` as the next version, and go on from it. What was changed here meanwhile stays.
   * @throws {Refused} with code VERSION_CONFLICT nothing was saved: somebody else has
   */
  async save(blocks = this.blocks) {
    const { sitting_id: sitting, ...body } = this.body(blocks);
    const ends = sitting && this.keptAt ? { sitting_id: sitting, sitting_kept_at: this.keptAt } : {}; // not what is kept from now on
    const answer = await put(`instructions/${this.instruction}`, { ...body, ...ends });
    this.adopt(await this.read(answer.version), blocks);
  }

  /** What a save of `blocks` sends. Where they are all that is here, it ends the sitting that they were written in. */
  body(blocks = this.blocks) {
    const sitting = this.sitting && blocks === this.blocks ? { sitting_id: this.sitting } : {};
    return { base_version: this.base.version, markdown: render(blocks), as_marked: true, blocks: said(blocks, this.base.blocks), ...sitting };
  }

  /** Go on from another version: what was changed here against `ground` is changed against that. */
  adopt(state, ground = this.base.blocks) {
    this.#ground(state);
    this.history.saw(this.#shown());
    const theirs = this.base.blocks;
    if (!same(ground, theirs)) this.history.rebase((blocks) => onto(ground, blocks, theirs));
    this.#changed();
  }

  /** The same with the document that a merge came to, as one step. */
  settle(state, blocks) {
    this.adopt(state);
    if (!same(blocks, this.blocks)) this.change(blocks);
  }

  /** A version as the server has it; the newest without a number. @throws {Refused} */
  async read(version) {
    const path = `/instructions/${this.instruction}/state${version === undefined ? "" : `?version=${version}`}`;
    let answer;
    try {
      answer = await fetch(path, { headers: { "HX-Request": "true" } }); // a part of this page, not a page
    } catch {
      throw new Refused(0, { code: "UNREACHABLE", message: say("failed-unreachable") });
    }
    heard(answer.status);
    if (answer.status === 401) throw new Refused(401, { code: "UNAUTHORIZED", message: say("failed-signed-out") });
    if (!answer.ok) throw new Refused(answer.status, { code: "UNFORESEEN", message: say("failed-unforeseen") });
    return answer.json();
  }

  /** What the server knows of the version that is worked on, again: pictures come and go without a new one. `mine`: what
   * has come and gone was done here, and can be undone. */
  async refresh({ mine = false } = {}) {
    const state = await this.read(this.base.version);
    if (state.version !== this.base.version) return;
    this.#ground(state);
    const shows = this.#shown();
    if (mine && [...shows].some(([anchor, asset]) => (this.history.shows.get(anchor) ?? null) !== asset)) this.history.drew(shows);
    else this.history.saw(shows);
    this.#changed();
  }

  #shown() {
    const anchors = [...[...this.facts.values()].flatMap((each) => each.anchors), ...this.base.unplaced];
    return new Map(anchors.map((each) => [each.id, each.active_asset_id]));
  }

  #ground(state) {
    const known = new Map(state.blocks.map((each) => [each.id, { ...UNKNOWN, ...each }]));
    for (const [id, facts] of this.facts) if (!known.has(id)) known.set(id, { ...facts, anchors: [], issues: [] });
    this.facts = known;
    for (const { markdown, html } of state.blocks) if (html !== undefined) remember(markdown, html);
    this.base = { ...state, blocks: state.blocks.map(({ id, markdown, gap, role }) => ({ id, markdown, gap, role })) };
  }
}
