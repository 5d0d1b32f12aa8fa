// Pictures of an anchor over the API: a frame taken, a file brought along, one taken out of view.
import { Refused, get, post, remove } from "../parts/api.js";
import { sha256 } from "../parts/hashing.js";
import { nameOf } from "../parts/sending.js";
import { say } from "../parts/strings.js";
import { sentence } from "../parts/sentences.js";

export const TYPES = ["image/png", "image/jpeg", "image/webp"];
export const MOST_BYTES = 20 * 1024 * 1024; // activities/pictures/opening.py
const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [150, 1500];

/** An anchor at a block of a version. */
export const anchorAt = (instructionId, versionId, blockId) =>
  post(`instructions/${instructionId}/anchors`, { instruction_version_id: versionId, addressing: { address_type: "block_id", block_id: blockId } });

/**
 * Let a frame of the recording show at an anchor, and wait for it.
 * @returns {Promise<object>} the picture
 * @throws {Refused} also where the work failed
 */
export async function takeFrame(anchorId, { instructionId, versionId, atMs, signal }) {
  const asked = { instruction_id: instructionId, instruction_version_id: versionId, timestamp_ms: Math.round(atMs) };
  let task = await post(`anchors/${anchorId}/replace`, asked, { signal });
  for (let wait = FIRST_WAIT_MS; task.status === "PENDING" || task.status === "RUNNING"; wait = Math.min(1.5 * wait, LONGEST_WAIT_MS)) {
    await paused(wait, signal);
    task = await get(`screenshot-tasks/${task.id}`, { signal }).catch((error) => {
      if (error.code === "UNREACHABLE") return task; // asked again: the work goes on without us
      throw error;
    });
  }
  if (task.status === "FAILED") {
    const { failure_code: code, failure_message: message } = task;
    throw new Refused(0, { code, message: await sentence("error", code, message) });
  }
  return task.asset;
}

/** Why a file cannot be a picture here, in words; undefined where it can. */
export function refusal(file) {
  if (!TYPES.includes(file.type)) return say("picture-refused-type");
  if (file.size > MOST_BYTES) return say("picture-refused-size", { limit: MOST_BYTES / 1024 ** 2 });
  if (file.size === 0) return say("picture-refused-empty");
  return undefined;
}

/**
 * Let a file of one's own show at an anchor.
 * @returns {Promise<object>} the picture
 * @throws {Refused}
 */
export async function bringPicture(anchorId, { jobId, versionId, file, signal }) {
  const [checksum, { width, height }] = await Promise.all([sha256(file), measured(file)]);
  const facts = { mime_type: file.type, size_bytes: file.size, checksum_sha256: checksum };
  const ticket = await post(`jobs/${jobId}/screenshots/uploads`, { filename: nameOf(file), ...facts }, { signal });
  await sent(ticket.upload_url, file, signal);
  await post(`jobs/${jobId}/screenshots/uploads/${ticket.upload_id}/confirm`, { ...facts, width, height }, { signal });
  const anchor = await post(`anchors/${anchorId}/attach-upload`, { upload_id: ticket.upload_id, instruction_version_id: versionId }, { signal });
  return shownAt(anchor);
}

/** Take a picture out of view; the anchor as it is then. */
export const dropPicture = (anchorId, assetId) => remove(`anchors/${anchorId}/assets/${assetId}`);

/** Let a picture that showed before show again; the anchor as it is then. */
export const showAgain = (anchorId, assetId) => post(`anchors/${anchorId}/assets/${assetId}/show`);

/** The picture that shows at an anchor, or null. */
export const shownAt = (anchor) => anchor.assets.find(({ id }) => id === anchor.active_asset_id) ?? null;

async function measured(file) {
  let picture;
  try {
    picture = await createImageBitmap(file);
  } catch {
    throw new Refused(0, { code: "UPLOAD_INVALID", message: say("picture-refused-damaged") });
  }
  const { width, height } = picture;
  picture.close();
  return { width, height };
}

async function sent(address, file, signal) {
  let answer;
  try {
    answer = await fetch(address, { method: "PUT", body: file, signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refused(0, { code: "UNREACHABLE", message: say("failed-unreachable") });
  }
  if (answer.ok) return;
  const told = await answer.json().catch(() => null);
  throw new Refused(answer.status, told ?? { code: "UNFORESEEN", message: say("failed-unforeseen") });
}

function paused(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
