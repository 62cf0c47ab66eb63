/** `50 seconds`, `12 minutes`, `5.5 hours`, `3 days`: how long something lasted, in one unit. */
export function spanText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 90) return `${seconds} seconds`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} minutes`;
  if (seconds < 172_800) return `${Math.round(seconds / 360) / 10} hours`;
  return `${Math.round(seconds / 86_400)} days`;
}
