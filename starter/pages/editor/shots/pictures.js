// What can be done to the pictures of a block; the dialogs come when they are asked for.
import { get, put } from "../../parts/api.js";
import { make } from "../../parts/elements.js";
import { tell, tellError } from "../../parts/messages.js";
import { say } from "../../parts/strings.js";
import { openLarge, openWhole, wholeOf } from "../../pictures/whole_picture.js";

export class BlockPictures {
  #copy;
  #save;
  #video;
  #fixed;
  #known = {}; // the anchors by id, of what the server knows
  #tools = new Map(); // the buttons of a picture, by which of them it has: copied for each
  #asked = {}; // for which a dialog was opened: {anchorId, blockId, tool}

  /** `fixed`: the pictures are another document's. */
  constructor(copy, { save, video, fixed = false }) {
    this.#fixed = fixed;
    this.#copy = copy;
    this.#save = save;
    this.#video = video;
    document.querySelector(".write").addEventListener("click", ({ target }) => this.#do(target.closest("[data-shot-do]")));
    document.body.addEventListener("pictures-changed", () => this.#again().catch(tellError));
    document.addEventListener("error", ({ target }) => this.#lost(target), { capture: true });
  }

  /** Buttons for the pictures that have none yet. */
  equip() {
    for (const tools of document.querySelectorAll(".write [data-shot-tools]:empty")) {
      const anchor = this.#anchor(tools.closest(".shot").dataset.anchor);
      const whole = anchor && wholeOf(anchor, this.#shown(anchor)) ? ["whole"] : [];
      const outcome = anchor ? [anchor.is_outcome ? "as-before" : "as-outcome"] : [];
      tools.append(this.#buttons([...whole, ...(this.#fixed ? [] : [...outcome, "draw", "replace"])]));
    }
  }

  #buttons(names) {
    const key = names.join();
    if (!this.#tools.has(key)) {
      const made = document.createDocumentFragment();
      made.append(...names.map((name) => make("button", { class: "button small quiet", type: "button", "data-shot-do": name }, say(`shot-${name}`))));
      this.#tools.set(key, made);
    }
    return this.#tools.get(key).cloneNode(true);
  }

  #do(button) {
    if (!button) return;
    const { anchor } = button.closest(".shot").dataset;
    const does = {
      whole: () => this.#open(anchor, openWhole),
      "as-before": () => this.#mark(anchor, false),
      "as-outcome": () => this.#mark(anchor, true),
      draw: () => this.#draw(anchor),
      replace: () => this.choose(button.closest("[data-block]")?.dataset.block, anchor),
    };
    void does[button.dataset.shotDo]();
  }

  /** Choose another picture for an anchor; without one, a first picture for the block. The one that shows then; null:
   * nothing has changed. */
  async choose(blockId, anchorId = null) {
    const copy = this.#copy;
    const stored = () => copy.base.blocks.some((each) => each.id === blockId);
    if (blockId && !stored() && !(await this.#save())) return null; // a picture is of a saved version
    if (blockId && !stored()) return tell(say("picture-needs-words"), "bad"), null;
    const anchor = this.#anchor(anchorId);
    this.#asked = { anchorId, blockId, tool: -1 };
    const atMs = this.#shown(anchor)?.timestamp_ms ?? copy.facts.get(blockId)?.start_ms ?? (this.#video?.currentTime ?? 0) * 1000;
    this.#video?.pause();
    const { openFramePicker } = await import("../../pictures/frame_picker.js");
    const { job, instruction, base } = copy;
    return openFramePicker({ jobId: job, instruction, versionId: base.version_id, anchor, blockId, atMs, video: this.#video }).catch((error) => (tellError(error), null));
  }

  /** Show a picture as large as there is room. */
  async enlarge(anchorId) {
    await this.#open(anchorId, openLarge);
  }

  /** Let the frame of a moment show at a block, beside what shows there. */
  async take(blockId, atMs) {
    const { instruction } = this.#copy;
    if (this.#copy.dirty && !(await this.#save())) return;
    if (!this.#copy.base.blocks.some((each) => each.id === blockId)) return tell(say("picture-needs-words"), "bad");
    this.#asked = { blockId, tool: 0 };
    const { anchorAt, takeFrame } = await import("../../pictures/pictures.js");
    try {
      const anchor = await anchorAt(instruction, this.#copy.base.version_id, blockId);
      await takeFrame(anchor.id, { instructionId: instruction, versionId: this.#copy.base.version_id, atMs });
      await this.#again();
    } catch (error) {
      tellError(error);
    }
  }

  /** Let a picture that was pasted or dropped show at a block, beside what shows there. */
  async bring(blockId, file) {
    const copy = this.#copy;
    const { anchorAt, bringPicture, refusal } = await import("../../pictures/pictures.js");
    const refused = refusal(file);
    if (refused) return tell(refused, "bad");
    if (copy.dirty && !(await this.#save())) return undefined; // a picture is of a saved version
    if (!copy.base.blocks.some((each) => each.id === blockId)) return tell(say("picture-needs-words"), "bad");
    try {
      const anchor = await anchorAt(copy.instruction, copy.base.version_id, blockId);
      await bringPicture(anchor.id, { jobId: copy.job, versionId: copy.base.version_id, file });
      return await this.#again();
    } catch (error) {
      return tellError(error);
    }
  }

  async #open(anchorId, opens) {
    try {
      const anchor = await get(`anchors/${anchorId}`); // its addresses may have expired
      await opens(anchor, this.#shown(anchor));
    } catch (error) {
      tellError(error);
    }
  }

  /** Say whether a picture shows what came of its step. */
  async #mark(anchorId, isOutcome) {
    this.#asked = { anchorId, tool: -3 };
    await put(`anchors/${anchorId}/outcome`, { is_outcome: isOutcome }).then(() => this.#again(), tellError);
  }

  async #draw(anchorId) {
    const anchor = await get(`anchors/${anchorId}`).catch(tellError); // addresses hold for a while only
    const asset = this.#shown(anchor);
    if (!asset) return;
    this.#asked = { anchorId, tool: -2 };
    const { openAnnotator } = await import("../../pictures/annotator.js");
    const drawn = await openAnnotator({ anchor, asset }).catch(tellError);
    if (!drawn) return;
    await this.#again().catch(tellError);
    if (!drawn.operations?.some(({ op_type: type }) => type === "blur")) return;
    const { offerLinks } = await import("../../sharing/behind.js");
    await offerLinks(this.#copy.instruction).catch(tellError);
  }

  /** Show what shows now. Whoever asked goes on where they were: their button went with the picture that it was of. */
  async #again() {
    await this.#copy.refresh({ mine: true });
    if (document.activeElement !== document.body) return;
    const { anchorId, blockId, tool } = this.#asked;
    const tools = document.querySelector(`.write .shot[data-anchor="${CSS.escape(anchorId ?? "")}"] [data-shot-tools]`);
    (tools?.children[tools.children.length + tool] ?? document.getElementById(`block-${blockId}`))?.focus({ preventScroll: true });
  }

  #anchor(id) {
    const { facts, base } = this.#copy;
    if (this.#known.facts !== facts || this.#known.base !== base) {
      const all = [...[...facts.values()].flatMap(({ anchors }) => anchors), ...base.unplaced];
      this.#known = { facts, base, anchors: new Map(all.map((each) => [each.id, each])) };
    }
    return this.#known.anchors.get(id) ?? null;
  }

  #shown(anchor) {
    return anchor?.assets.find(({ id }) => id === anchor.active_asset_id) ?? null;
  }

  /** A picture that does not load as it is shown here is fetched as it is, once. */
  #lost(image) {
    const figure = image instanceof HTMLImageElement && image.closest(".shot");
    if (!figure || figure.dataset.renewed) return;
    figure.dataset.renewed = "yes";
    get(`anchors/${figure.dataset.anchor}`)
      .then(({ assets }) => {
        const found = assets.find(({ id }) => id === figure.dataset.asset);
        if (found) image.src = found.image_uri;
      })
      .catch(() => {}); // its description is there to read
  }
}

/** The picture among what is pasted or dropped, where there are no words to be had instead (a spreadsheet's cells come as
 * both); `undefined`: none. */
export function pictureIn(data) {
  const file = [...(data?.files ?? [])].find(({ type }) => type.startsWith("image/"));
  const words = data?.getData("text/html").replace(/<style[\s\S]*?<\/style>|<!--[\s\S]*?-->|<[^>]*>/gi, "").trim();
  return words ? undefined : file;
}
