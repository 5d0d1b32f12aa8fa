// The HTTP API as the pages call it: with the session's cookie, from our own origin.
import { sentence } from "./sentences.js";
import { heard, isOthers } from "./session.js";
import { say } from "./strings.js";

const BASE = "/api/v1/";

/** What the API refused: `code` is stable, `message` is for people, `details` belong to the code. */
export class Refused extends Error {
  constructor(status, { code, message, details }) {
    const issues = code === "VALIDATION_ERROR" ? (details?.issues ?? []).map((each) => each.message) : [];
    super(issues.length ? issues.join(" ") : message);
    this.status = status;
    this.code = code;
    this.details = details ?? {};
  }
}

/** What the API said, in the page's language. */
async function refused(status, told) {
  if (!told) return new Refused(status, { code: "UNFORESEEN", message: say("failed-unforeseen") });
  const error = new Refused(status, told);
  error.message = await sentence("error", error.code, error.message, told.details);
  return error;
}

/**
 * Call `method` on `path` below the base; answers the parsed JSON.
 * @param {{body?: unknown, key?: string, signal?: AbortSignal, keepalive?: boolean}} options `key`: the Idempotency-Key
 * @throws {Refused} also with code UNREACHABLE where no answer came
 */
export async function call(method, path, { body, key, signal, keepalive } = {}) {
  const headers = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (key !== undefined) headers["Idempotency-Key"] = key;
  if (isOthers()) throw new Refused(401, { code: "UNAUTHORIZED", message: say("failed-signed-in-others") });
  let answer;
  try {
    answer = await fetch(BASE + path, { method, headers, signal, keepalive, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refused(0, { code: "UNREACHABLE", message: say("failed-unreachable") });
  }
  heard(answer.status);
  if (answer.status === 204) return null;
  const told = await answer.json().catch(() => null);
  if (answer.status === 401) throw new Refused(401, { code: "UNAUTHORIZED", message: say("failed-signed-out") });
  if (!answer.ok) throw await refused(answer.status, told);
  return told;
}

export const get = (path, options) => call("GET", path, options);
export const post = (path, body = {}, options = {}) => call("POST", path, { ...options, body });
export const put = (path, body, options = {}) => call("PUT", path, { ...options, body });
export const patch = (path, body, options = {}) => call("PATCH", path, { ...options, body });
export const remove = (path, options) => call("DELETE", path, options);

/** A fresh Idempotency-Key, client_request_id, or id of anything else: a UUID. */
export const once = () => crypto.randomUUID?.() ?? random(); // the first only where TLS is, or on this machine

function random() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return [...bytes].map((each, place) => ([4, 6, 8, 10].includes(place) ? "-" : "") + each.toString(16).padStart(2, "0")).join("");
}
