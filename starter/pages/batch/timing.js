// Times as people type them: `1:05`, `1:02:03`, `65`, with a fraction of a second where they like.

/** Milliseconds, or NaN. */
export function msOf(text) {
  const parts = text.trim().split(":");
  if (parts.length > 3 || !parts.every((each, place) => (place === parts.length - 1 ? /^\d+([.,]\d{1,3})?$/ : /^\d+$/).test(each))) return NaN;
  return Math.round(1000 * parts.reduce((sum, each) => 60 * sum + Number(each.replace(",", ".")), 0));
}
