/** A time for people, to the minute: `2026-11-22 06:18 UTC`. Also of a time as text, in ISO 8601. */
export function minuteText(at: number | string): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** A time for people, to the second: `2026-11-22 06:18:22 UTC`. */
export function secondText(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** A time in a list, to the minute: `2026-11-22 06:18Z`. */
export function minuteZ(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}
