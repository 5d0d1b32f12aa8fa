// Bytes as people write them, in powers of 1024; as the server's `size` does.
export function bytes(count) {
  let left = count;
  for (const unit of ["B", "KB", "MB", "GB"]) {
    if (left < 1024 || unit === "GB") return `${unit === "B" || left >= 10 ? Math.round(left) : left.toFixed(1)} ${unit}`;
    left /= 1024;
  }
  return "";
}
