// The dialog in which people choose what shows at a step: a frame of the recording, a picture of their own, or one that
// showed before.
import { get } from "../parts/api.js";
import { ask, shown } from "../parts/asking.js";
import { freshId, make } from "../parts/elements.js";
import { clock } from "../parts/moments.js";
import { TYPES, anchorAt, bringPicture, dropPicture, refusal, showAgain, shownAt, takeFrame } from "./pictures.js";
import { say } from "../parts/strings.js";

const USUAL_FRAME_MS = 1000 / 30;
const KEYS = { PageDown: -10_000, PageUp: 10_000 };
const SHIFTED = { ArrowLeft: -1000, ArrowRight: 1000 };

/**
 * Let somebody choose the picture of a step.
 * @param {{jobId: string, instruction: string, versionId: string, anchor: object|null, blockId: string, atMs: number,
 *   video: HTMLVideoElement|string|null}} wanted `instruction`: its id; `anchor`: as the API answers it, or as the editor knows it, without addresses; null: one is
 *   made at the block; `video`: the player, or the recording's address; null: it has no picture
 * @returns {Promise<object|null>} the picture that shows now; null where nothing has changed or nothing shows any more.
 *   In each case of a change an event `pictures-changed` with the anchor's id bubbles from the document's body.
 */
export async function openFramePicker(wanted) {
  return new FramePicker(wanted).result();
}

class FramePicker {
  #stop = new AbortController();
  #changed = false;
  #shown = null;
  #at;

  constructor({ jobId, instruction, versionId, anchor, blockId, atMs, video }) {
    Object.assign(this, { jobId, versionId, anchor, blockId });
    this.instructionId = typeof instruction === "string" ? instruction : instruction.instruction_id;
    this.source = typeof video === "string" ? video : (video?.currentSrc || video?.src || null);
    this.#at = atMs ?? 0;
    this.frameMs = Number(video?.dataset?.frameMs) || USUAL_FRAME_MS;
    this.dialog = this.#built();
  }

  async result() {
    const closed = shown(this.dialog);
    (this.source ? this.slider : this.file).focus();
    this.#showPictures();
    if (this.anchor) this.#refresh();
    await closed;
    this.#stop.abort();
    if (this.video) {
      this.video.removeAttribute("src");
      this.video.load();
    }
    if (!this.#changed) return null;
    document.body.dispatchEvent(new CustomEvent("pictures-changed", { bubbles: true, detail: { anchorId: this.anchor.id } }));
    return shownAt(this.anchor);
  }

  // --- what it is made of

  #built() {
    const id = freshId("picker");
    this.failure = make("p", { class: "notice bad", role: "alert", hidden: true });
    this.busy = make("p", { class: "notice", role: "status", hidden: true });
    this.versions = make("ul", { class: "versions" });
    this.before = make("section", { hidden: true }, make("h3", {}, say("picture-versions")), this.versions);
    return make(
      "dialog",
      { class: "pictures", "aria-labelledby": id },
      make("h2", { id }, say("picture-title")),
      this.source ? this.#scrubber() : make("p", { class: "notice" }, say("picture-no-video")),
      this.#upload(),
      this.before,
      this.busy,
      this.failure,
      make("form", { method: "dialog", class: "row ends" }, make("button", { class: "button" }, say("close"))),
    );
  }

  #scrubber() {
    this.video = make("video", { preload: "auto", muted: true, playsinline: true, "aria-label": say("picture-frame") });
    this.video.muted = true;
    this.video.addEventListener("loadedmetadata", () => this.#ready());
    this.video.addEventListener("error", () => this.#fail(say("picture-video-lost")));
    this.video.src = this.source;
    this.slider = make("input", { type: "range", min: 0, max: 0, step: "any", value: 0, disabled: true, "aria-label": say("picture-moment"), oninput: () => this.#seek(Number(this.slider.value)) });
    this.moment = make("output", { class: "numbers" }, stamp(this.#at));
    this.take = make("button", { class: "button primary", type: "button", disabled: true, onclick: () => this.#take() }, say("picture-take"));
    const step = (ms, label, name) => make("button", { class: "button small", type: "button", "aria-label": say(name), title: say(name), onclick: () => this.#seek(this.#at + ms) }, label);
    const scrubber = make(
      "section",
      { class: "scrubber" },
      make("div", { class: "stage" }, this.video),
      this.slider,
      make("div", { class: "row" }, step(-1000, "«", "picture-second-back"), step(-this.frameMs, "‹", "picture-frame-back"), this.moment, step(this.frameMs, "›", "picture-frame-on"), step(1000, "»", "picture-second-on"), this.take),
      make("p", { class: "hint" }, say("picture-keys")),
    );
    scrubber.addEventListener("keydown", (event) => this.#key(event));
    return scrubber;
  }

  #upload() {
    this.file = make("input", { type: "file", accept: TYPES.join(","), onchange: () => this.#bring(this.file.files[0]) });
    const zone = make("label", { class: "field drop" }, make("span", {}, say("picture-own")), make("small", {}, say("picture-own-what")), this.file);
    zone.addEventListener("dragover", (event) => {
      event.preventDefault();
      zone.classList.add("over");
    });
    zone.addEventListener("dragleave", () => zone.classList.remove("over"));
    zone.addEventListener("drop", (event) => {
      event.preventDefault();
      event.stopPropagation();
      zone.classList.remove("over");
      this.#bring(event.dataTransfer.files[0]);
    });
    return zone;
  }

  // --- the moment

  #ready() {
    this.slider.max = String(this.video.duration * 1000);
    this.slider.disabled = this.take.disabled = false;
    this.slider.focus();
    this.#seek(this.#at);
  }

  #seek(ms) {
    const end = Number.isFinite(this.video.duration) ? this.video.duration * 1000 : ms;
    this.#at = Math.min(Math.max(0, ms), Math.max(0, end - 1));
    this.video.currentTime = this.#at / 1000;
    this.slider.value = String(this.#at);
    this.slider.setAttribute("aria-valuetext", stamp(this.#at));
    this.moment.textContent = stamp(this.#at);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.slider.disabled) return;
    const ends = { Home: 0, End: this.video.duration * 1000 };
    const step = (event.shiftKey ? SHIFTED : { ...KEYS, ArrowLeft: -this.frameMs, ArrowRight: this.frameMs })[event.key];
    if (step !== undefined) this.#seek(this.#at + step);
    else if (event.key in ends) this.#seek(ends[event.key]);
    else if (event.key === "Enter" && event.target === this.slider) this.#take();
    else return;
    event.preventDefault();
  }

  // --- what shows

  #take() {
    return this.#work(say("picture-taking"), (anchor, signal) =>
      takeFrame(anchor.id, { instructionId: this.instructionId, versionId: this.versionId, atMs: this.#at, signal }),
    );
  }

  #bring(file) {
    if (!file) return undefined;
    const refused = refusal(file);
    this.file.value = "";
    if (refused) return this.#fail(refused);
    return this.#work(say("picture-sending", { name: file.name }), (anchor, signal) =>
      bringPicture(anchor.id, { jobId: this.jobId, versionId: this.versionId, file, signal }),
    );
  }

  /** Do something that ends in another picture, and close. */
  async #work(doing, act) {
    this.#begin(doing);
    try {
      this.anchor ??= await anchorAt(this.instructionId, this.versionId, this.blockId);
      await act(this.anchor, this.#stop.signal);
      this.anchor = await get(`anchors/${this.anchor.id}`);
      this.#changed = true;
      this.dialog.close();
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#fail(error.code ? error.message : say("failed-unforeseen"));
    } finally {
      this.#end();
    }
  }

  async #refresh() {
    try {
      this.anchor = await get(`anchors/${this.anchor.id}`, { signal: this.#stop.signal }); // its addresses may have expired
      this.#showPictures();
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#fail(error.message);
    }
  }

  /** Those that show already stay: a press that began on one ends on it, though its address came in between. */
  #showPictures() {
    const live = (this.anchor?.assets ?? []).filter((asset) => !asset.is_deleted);
    const told = JSON.stringify([this.anchor?.active_asset_id, ...live.map(({ id, version, kind }) => [id, version, kind])]);
    this.before.hidden = live.length === 0;
    if (told !== this.#shown) this.versions.replaceChildren(...live.map((asset) => this.#version(asset)));
    else this.versions.querySelectorAll("img").forEach((image, place) => (image.src = sourceOf(live[place])));
    this.#shown = told;
  }

  #version(asset) {
    const isShown = asset.id === this.anchor.active_asset_id;
    const name = say("picture-version", { number: asset.version, kind: say(`picture-kind-${asset.kind.toLowerCase()}`) });
    return make(
      "li",
      {},
      make("img", { src: sourceOf(asset), width: asset.width, height: asset.height, loading: "lazy", alt: name }),
      make("p", { class: "small" }, name, isShown && make("strong", {}, ` · ${say("picture-shows")}`)),
      !isShown && make("button", { class: "button small", type: "button", "aria-label": say("picture-use-which", { name }), onclick: () => this.#use(asset) }, say("picture-use")),
      " ",
      make("button", { class: "button small danger", type: "button", "aria-label": say("picture-delete-which", { name }), onclick: () => this.#drop(asset) }, say("picture-delete")),
    );
  }

  /** Let an earlier picture show again: the newer ones stay. */
  #use(asset) {
    return this.#work(say("picture-showing"), (anchor) => showAgain(anchor.id, asset.id));
  }

  async #drop(asset) {
    if (!(await ask({ title: say("picture-delete-title"), text: say("picture-delete-what"), yes: say("picture-delete"), danger: true }))) return;
    this.#begin(say("picture-deleting"));
    try {
      this.anchor = await dropPicture(this.anchor.id, asset.id);
      this.#changed = true;
      this.#showPictures();
    } catch (error) {
      this.#fail(error.code ? error.message : say("failed-unforeseen"));
    } finally {
      this.#end();
    }
  }

  #begin(doing) {
    this.failure.hidden = true;
    this.busy.textContent = doing;
    this.busy.hidden = false;
    for (const control of this.#controls) control.disabled = true;
  }

  #end() {
    this.busy.hidden = true;
    for (const control of this.#controls) control.disabled = false;
  }

  get #controls() {
    return [this.take, this.file, ...this.versions.querySelectorAll("button")].filter(Boolean);
  }

  #fail(text) {
    this.failure.textContent = text;
    this.failure.hidden = false;
  }
}

const sourceOf = ({ id, image_uri: uri }) => uri ?? `/pictures/${id}/thumbnail`;

function stamp(ms) {
  return `${clock(ms)}.${String(Math.floor(ms % 1000)).padStart(3, "0")}`;
}
