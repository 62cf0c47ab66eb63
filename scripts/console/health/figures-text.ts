/** `412 MB`, in steps of a thousand; below 10 with one decimal. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `40 s`, `12 min`, `5 h`, `3 days`: a duration in one unit. */
export function elapsedText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}
