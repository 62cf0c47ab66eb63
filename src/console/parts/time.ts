import { type Html, html } from '../html/html.ts';

const UNITS: readonly [ms: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
];

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'narrow' });

/** How long ago, such as `4 min ago`, with the time in UTC to be seen on it; `none` where there is no time. */
export function timeAgo(atMs: number | undefined, { nowMs = Date.now(), none = '–' } = {}): Html {
  if (atMs === undefined || !Number.isFinite(atMs)) return html`${none}`;
  const difference = atMs - nowMs;
  const [unitMs, unit] = UNITS.find(([ms]) => Math.abs(difference) >= ms) ?? [1_000, 'second' as const];
  const words = Math.abs(difference) < 1_000 ? 'now' : RELATIVE.format(Math.trunc(difference / unitMs), unit);
  return html`<time datetime="${new Date(atMs).toISOString()}" title="${inUtc(atMs)}">${words}</time>`;
}

/** The moment itself, to the second, in UTC: for a story, and for texts that go to others. */
export function moment(atMs: number | undefined, { none = '–' } = {}): Html {
  if (atMs === undefined || !Number.isFinite(atMs)) return html`${none}`;
  return html`<time datetime="${new Date(atMs).toISOString()}">${inUtc(atMs)}</time>`;
}

/** By the minute, in one line of a list: which of the day's it was. The column says that it is UTC. */
export function minuteOf(atMs: number | undefined): Html {
  if (atMs === undefined) return html`–`;
  return html`<time class="nowrap" datetime="${new Date(atMs).toISOString()}">${inUtc(atMs).slice(0, 16)}</time>`;
}

/** `2026-11-22 06:18:22 UTC` */
export function inUtc(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
