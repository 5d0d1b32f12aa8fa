// One recording from the moment that it is asked for to its end: captured, kept, sent, all at once.
import { bytes } from "../parts/sizes.js";
import { say } from "../parts/strings.js";
import { microphone, Mixer, Recorder, refusal, screen } from "./capturing.js";
import { Delivery } from "./delivering.js";
import { hold, KeptRecording, StorageFull } from "./keeping.js";

const LOOKED_EVERY_MS = 100;
const FAINTEST = 0.15; // 9 dB above what the meter shows at all: no voice
const SILENT_AFTER_MS = 8000;

export class Take {
  recorder = null;
  isPaused = false;
  isSilent = false;
  delivered = 0;
  trouble = null;

  /**
   * @param {{hint: (name: string | null) => void, looks: (take: Take) => void, sent: (text: string) => void,
   *   over: (take: Take, reason: string | null) => unknown}} page what is told: a sentence to be shown, what there is
   *   to see (ten times a second), how much is sent, the end
   * @param {number} most bytes
   */
  constructor(page, most) {
    this.page = page;
    this.most = most;
  }

  /**
   * Ask for screen and sound; `device`: the microphone's id, null for none.
   * @returns {Promise<string | null>} the name of the sentence that says why one was not given
   */
  async open(withSound, device) {
    try {
      this.screen = await screen(withSound);
    } catch (error) {
      return refusal(error, "screen");
    }
    try {
      this.microphone = device === null ? null : await microphone(device);
    } catch (error) {
      this.close();
      return refusal(error, "microphone");
    }
    const heard = [this.microphone, this.screen].filter((each) => each?.getAudioTracks().length);
    if (heard.length) {
      this.mixer = new Mixer();
      heard.forEach((each) => this.mixer.add(each, each === heard[0]));
    }
    this.screen.getVideoTracks()[0].addEventListener("ended", () => this.stop()); // in the browser's own bar
    this.microphone?.getAudioTracks()[0].addEventListener("ended", () => this.recorder && !this.stopping && this.page.hint("microphone-gone"));
    return null;
  }

  get hasSound() {
    return this.mixer !== undefined;
  }

  /** How loud it is, 0 to 1. */
  get level() {
    return this.mixer && !this.isPaused ? this.mixer.level : 0;
  }

  /** Begin to record, and to send. */
  async start(record) {
    this.kept = await KeptRecording.begin(record);
    this.release = await hold(record.id);
    this.delivery = new Delivery(this.kept, (facts) => this.told(facts));
    this.recorder = new Recorder(this.screen, this.mixer?.out.stream, (piece, ms) => this.take(piece, ms), () => this.stop());
    this.recorder.start();
    this.delivery.start();
    this.silentSince = performance.now();
    this.looking = setInterval(() => this.look(), LOOKED_EVERY_MS);
    if (this.screen.getVideoTracks()[0].readyState === "ended") this.stop(); // during the countdown
  }

  take(piece, ms) {
    this.kept.append(piece, ms).then(
      () => this.delivery.grew(),
      (error) => {
        if (!(error instanceof StorageFull)) throw error;
        this.delivery.grew();
        this.stop("storage-full");
      },
    );
    if (this.kept.size > this.most - 2 * piece.size) this.stop("largest");
  }

  pause() {
    this.recorder.pause();
    this.isPaused = true;
  }

  resume() {
    this.recorder.resume();
    this.isPaused = false;
    this.silentSince = performance.now();
  }

  /** Stop, once; `reason`: what is to be said of it. */
  async stop(reason = null) {
    if (!this.recorder) return this.cancelled?.();
    if (this.stopping) return undefined;
    this.stopping = true;
    clearInterval(this.looking);
    await this.recorder.stop();
    await this.kept.writing.catch(() => {});
    this.close();
    return this.page.over(this, reason);
  }

  /** Let go of screen and sound. */
  close() {
    for (const stream of [this.screen, this.microphone]) stream?.getTracks().forEach((each) => each.stop());
    this.mixer?.close();
  }

  look() {
    this.page.looks(this);
    if (this.level > FAINTEST || this.isPaused) this.silentSince = performance.now();
    const isSilent = this.microphone !== null && performance.now() - this.silentSince > SILENT_AFTER_MS;
    if (isSilent !== this.isSilent) this.page.hint(isSilent ? "silent" : null);
    this.isSilent = isSilent;
  }

  told({ sent = this.delivered, waiting = false, failed = null }) {
    this.delivered = sent;
    this.page.sent(say("record-facts", { recorded: bytes(this.kept.size), sent: bytes(sent) }));
    const trouble = failed ? "unsent" : waiting ? "offline" : null;
    if (trouble !== this.trouble) this.page.hint(trouble);
    this.trouble = trouble;
  }
}
