// The browser's storage, which may be switched off, full, or hold what nobody can read.

/** What `work` on it comes to; `otherwise` where it cannot be done. */
export function stored(work, otherwise) {
  try {
    return work();
  } catch {
    return otherwise;
  }
}
