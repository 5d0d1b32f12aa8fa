// What a browser gives of screen and sound, mixed and written as a file in pieces.
const PIECE_MS = 1000; // how much a tab that dies loses at most
const FRAMES = { ideal: 15, max: 30 };
const PICTURE_BITS = 4_000_000; // a second: small text stays sharp, an hour has 2 GB at most
const SOUND_BITS = 128_000;
const QUIETEST_DB = -60;

// WebM first: one that is cut off can be read to its last second, and is written a second at a time.
const TYPES = ["video/webm;codecs=vp9,opus", "video/webm;codecs=vp8,opus", "video/webm", "video/mp4;codecs=avc1.42E01F,mp4a.40.2", "video/mp4"];

/** The best type that this browser writes; undefined where it writes none. */
export const typeOf = () => TYPES.find((each) => globalThis.MediaRecorder?.isTypeSupported(each));

/** What keeps this browser from recording: the name of the sentence that says it, or null. */
export function lacking() {
  if (!isSecureContext) return "insecure";
  if (!navigator.mediaDevices?.getDisplayMedia || !typeOf() || !navigator.locks || !globalThis.indexedDB) return "unable";
  return null;
}

const REFUSED = new Set(["NotAllowedError", "SecurityError"]);

/** Why a screen or a microphone (`what`) was not given: the name of the sentence that says it. */
export function refusal(error, what) {
  if (REFUSED.has(error.name)) return `${what}-refused`;
  if (what === "screen") return "screen-failed";
  return error.name === "NotFoundError" || error.name === "OverconstrainedError" ? "microphone-absent" : "microphone-busy";
}

/** The screen, with the computer's sound where that is wanted and given. Asks its user; has to come of a press. */
export async function screen(withSound) {
  const controller = globalThis.CaptureController ? new CaptureController() : undefined;
  const stream = await navigator.mediaDevices.getDisplayMedia({
    video: { frameRate: FRAMES, cursor: "always" },
    audio: withSound,
    systemAudio: withSound ? "include" : "exclude",
    surfaceSwitching: "include",
    selfBrowserSurface: "exclude",
    controller,
  });
  try {
    controller?.setFocusBehavior("no-focus-change"); // the countdown is here
  } catch {
    /* of a whole screen or a window: nothing to be said */
  }
  stream.getVideoTracks()[0].contentHint = "text";
  return stream;
}

/** A microphone: `device` is its id, "" the one that the system has chosen. */
export const microphone = (device) => navigator.mediaDevices.getUserMedia({ audio: { ...(device && { deviceId: { exact: device } }), echoCancellation: true, noiseSuppression: true } });

/** The microphones by name; those without one were never allowed. */
export async function microphones() {
  const found = await navigator.mediaDevices.enumerateDevices().catch(() => []);
  return found.filter(({ kind, label, deviceId }) => kind === "audioinput" && label && deviceId !== "default" && deviceId !== "communications");
}

/** Sounds mixed into one track, and how loud each is. */
export class Mixer {
  constructor() {
    this.context = new AudioContext();
    this.out = this.context.createMediaStreamDestination();
    this.heard = this.context.createAnalyser();
    this.samples = new Float32Array(this.heard.fftSize);
  }

  /** Add the sound of `stream`; `metered`: the level is that of this one. */
  add(stream, metered = false) {
    const source = this.context.createMediaStreamSource(stream);
    source.connect(this.out);
    if (metered) source.connect(this.heard);
  }

  /** How loud it is now: 0 to 1, even steps to the ear. */
  get level() {
    this.heard.getFloatTimeDomainData(this.samples);
    const power = this.samples.reduce((sum, each) => sum + each * each, 0) / this.samples.length;
    return Math.min(1, Math.max(0, 1 - (10 * Math.log10(power + 1e-12)) / QUIETEST_DB));
  }

  close() {
    this.context.close().catch(() => {});
  }
}

/** Writes a screen and a sound; `told(blob, ms)` of every piece, in order. */
export class Recorder {
  constructor(picture, sound, told, failed) {
    this.ms = 0; // until the last pause
    this.since = null;
    const tracks = [...picture.getVideoTracks(), ...(sound?.getAudioTracks() ?? [])];
    this.inner = new MediaRecorder(new MediaStream(tracks), { mimeType: typeOf(), videoBitsPerSecond: PICTURE_BITS, audioBitsPerSecond: SOUND_BITS });
    this.inner.ondataavailable = ({ data }) => data.size && told(data, this.elapsed);
    this.inner.onerror = ({ error }) => failed(error);
    this.ended = new Promise((resolve) => (this.inner.onstop = resolve));
  }

  get type() {
    return this.inner.mimeType.split(";")[0];
  }

  /** Milliseconds recorded, without pauses. */
  get elapsed() {
    return this.ms + (this.since === null ? 0 : performance.now() - this.since);
  }

  start() {
    this.inner.start(PIECE_MS);
    this.since = performance.now();
  }

  pause() {
    this.inner.pause();
    this.ms = this.elapsed;
    this.since = null;
  }

  resume() {
    this.inner.resume();
    this.since = performance.now();
  }

  /** Stop; answers once the last piece was told. */
  async stop() {
    if (this.inner.state !== "inactive") this.inner.stop();
    await this.ended;
    this.ms = this.elapsed;
    this.since = null;
  }
}
