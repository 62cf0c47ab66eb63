import { expect, test } from 'vitest';
import { renderPaceChart } from '../../../src/console/pages/portfolio/pace-chart.ts';
import { makeOwnPace } from '../../../src/pace/pace-words.ts';
import type { PaceSpan } from '../../../src/pace/samples.ts';

const NOON = Date.UTC(2026, 10, 22, 12);
const spans = (count: number, of: (at: number) => Partial<PaceSpan> = () => ({})): PaceSpan[] =>
  Array.from({ length: count }, (_, at) => ({
    fromMs: NOON + at * 2_000,
    atMs: NOON + (at + 1) * 2_000,
    acceptedPerS: 50,
    throttledPerS: 0,
    learnedPerS: 60,
    waitsUntilMs: 0,
    ...of(at),
  }));
const chart = (of: PaceSpan[], toMs = NOON + 3_600_000) =>
  renderPaceChart(of, { fromMs: NOON, toMs, empty: 'nothing yet' }).markup;

// Promise: proof-strip
test('the chart shows the same values as a drawing, in words and in a table', () => {
  const markup = chart(spans(1_800, (at) => ({ acceptedPerS: at < 900 ? 40 : 80, throttledPerS: at === 5 ? 1 : 0 })));
  expect(markup).toContain('Calls a second from 12:00:00 to 13:00:00 UTC: lately 80 accepted, 60 the learned limit.');
  const cells = [...markup.matchAll(/<td[^>]*>([\d.]+)<\/td>/g)].map(([, text]) => text);
  expect(cells.length).toBe(12 * 3);
  expect(cells[0]).toBe('40');
  expect(cells.at(-3)).toBe('80');
  // The size is bounded, whatever the time span, because it is sent twice a second.
  expect(markup.length).toBeLessThan(9_000);
});

test('a single sample is drawn over its own time span, and a time without samples is a gap', () => {
  const [first, second] = spans(2);
  const one = chart([first as PaceSpan]);
  expect(one).toMatch(/class="pace-learned" d="M0\.0 \d+\.\dL600\.0/);
  const later = { ...(second as PaceSpan), fromMs: NOON + 1_800_000, atMs: NOON + 1_802_000 };
  const gap = chart([first as PaceSpan, later]);
  expect(gap.match(/class="pace-learned" d="([^"]*)"/)?.[1]?.match(/M/g)?.length).toBe(2);
});

test('without calls the chart says so', () => {
  expect(chart([])).toContain('nothing yet');
  expect(chart(spans(5), NOON - 1)).toContain('nothing yet');
});

test('a portfolio’s own pace is known after some seconds, covers the last thirty, and is kept for recent portfolios only', () => {
  const own = makeOwnPace();
  expect(own.note('a', 100, 0)).toBeUndefined();
  expect(own.note('a', 110, 1_000)).toBeUndefined();
  expect(own.note('a', 150, 5_000)).toBe(10);
  // Before the first sample nothing was sent.
  expect(own.note('b', 30, 3_000, 0)).toBe(10);
  // A smaller count comes from another ledger.
  expect(own.note('a', 3, 6_000)).toBeUndefined();
  expect(own.note('a', 23, 16_000)).toBe(2);
  expect(own.note('a', 23, 60_000)).toBeUndefined();
  for (let at = 0; at < 300; at += 1) own.note(`other ${at}`, 1, 61_000);
  expect(own.note('a', 33, 66_000)).toBeUndefined();
});

// Promise: proof-strip
test('before a limit is learned the chart draws none', () => {
  const markup = chart(spans(4, (at) => ({ learnedPerS: at < 2 ? 0 : 60 })));
  expect(markup).toMatch(/class="pace-learned" d="M300\.0 [\d.]+L450\.0 [\d.]+L600\.0 [\d.]+"/);
  expect(chart(spans(4, () => ({ learnedPerS: 0 })))).toContain('50 accepted, no limit met yet.');
});
