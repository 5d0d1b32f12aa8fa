// Bytes as people write them, in powers of 1024; as the server's `size` does.
export function bytes(count) {
  let left = count;
  for (const unit of ["bytes", "KB", "MB", "GB"]) {
    if (left < 1024 || unit === "GB") return `${unit === "bytes" || left >= 10 ? Math.round(left) : left.toFixed(1)} ${unit}`;
    left /= 1024;
  }
  return "";
}
