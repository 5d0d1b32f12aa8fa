// A step that was cut off or added here shows no picture yet: the picture of its moment is offered where it stands.
import { make } from "../../parts/elements.js";
import { say } from "../../parts/strings.js";
import * as edit from "../blocks.js";
import { part } from "../list.js";

export class Moments {
  #copy;
  #shots;
  #video;
  #offered = new Map(); // block id -> what was offered it last

  /** `video`: there is a recording to take pictures of. */
  constructor(copy, shots, video) {
    this.#copy = copy;
    this.#shots = shots;
    this.#video = Boolean(video);
  }

  /** From now on, as long as the block is a step without a picture. */
  offer(id) {
    if (this.#video) this.#offered.set(id, null);
  }

  /** Let what is offered stand where it belongs. */
  show() {
    const { blocks, facts } = this.#copy;
    for (const [id, before] of this.#offered) {
      const holder = part(id, "shots");
      if (!holder) continue;
      const block = blocks.find((each) => each.id === id);
      const at = block.at ?? edit.knownOf(id, blocks, facts)?.start_ms ?? null;
      const isBare = block.role === "step" && ![id, ...(block.absorbs ?? [])].some((each) => facts.get(each)?.anchors.some((anchor) => anchor.active_asset_id));
      const now = isBare ? String(at) : "";
      const there = holder.nextElementSibling.matches("[data-offer]") ? holder.nextElementSibling : null;
      if (now === before && Boolean(there) === isBare) continue;
      this.#offered.set(id, now);
      there?.remove();
      if (isBare) holder.after(this.#row(id, at));
    }
  }

  #row(id, at) {
    const button = (name, doing) => {
      let isBusy = false;
      const onclick = async ({ currentTarget: pressed }) => {
        if (isBusy) return;
        pressed.ariaBusy = String((isBusy = true)); // a button that is disabled takes the focus with it
        await doing();
        pressed.ariaBusy = String((isBusy = false));
      };
      return make("button", { class: "button small", type: "button", onclick }, say(name));
    };
    const take = at === null ? [] : [button("moment-picture", () => this.#shots.take(id, at))];
    return make("p", { class: "row", "data-offer": "" }, ...take, button(at === null ? "moment-pick" : "moment-other", () => this.#pick(id, at)));
  }

  /** Choose a picture; a block that tells of no moment yet tells of that one. */
  async #pick(id, at) {
    const shown = await this.#shots.choose(id);
    const ms = shown?.timestamp_ms ?? null;
    if (at === null && ms !== null && this.#copy.text(id) !== undefined) this.#copy.change(edit.timed(this.#copy.blocks, id, ms));
  }
}
