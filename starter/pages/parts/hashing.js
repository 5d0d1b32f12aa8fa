// SHA-256 of a file. Browsers have their own only on pages that came by TLS or from this machine.

/** @returns {Promise<string>} in hex */
export async function sha256(blob) {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  if (globalThis.crypto?.subtle) return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
  const { sha256: hashed } = await import("@noble/hashes/sha2.js");
  return hex(hashed(bytes));
}

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
