import type { PaceSpan } from '../../../pace/samples.ts';
import { type Html, html, t } from '../../html/html.ts';

/**
 * One point of the chart: rates in calls a second. `accepted` and `throttled` are means from `fromMs` to `atMs`; `rate` is the
 * limit learned at its end, and 0 for none.
 */
type Bucket = { fromMs: number; atMs: number; accepted: number; throttled: number; rate: number };

/** The most points of the chart: as many as a wide screen can show apart, few enough to send twice a second. */
const MOST_BUCKETS = 90;
const LEAST_BUCKET_MS = 2_000;
const TABLE_ROWS = 12;

/** The size of the chart in units of the drawing, which stretches to the width of the page. */
const [WIDTH, HEIGHT] = [600, 120];

/**
 * A chart of the calls a second that the service accepted, and of the learned limit, over time. A table has the same for screen readers.
 *
 * @param given.fromMs start of the part of the last hour that is shown; `toMs` is its end
 */
export function renderPaceChart(
  spans: readonly PaceSpan[],
  { fromMs, toMs, empty }: { fromMs: number; toMs: number; empty: string },
): Html {
  const shown = spans.filter((span) => span.atMs >= fromMs && span.fromMs <= toMs);
  const [first, last] = [shown[0], shown.at(-1)];
  if (!first || !last) return html`<p class="quiet">${empty}</p>`;
  const stretch = { fromMs: Math.max(fromMs, first.fromMs), toMs: last.atMs };
  const buckets = bucketsOf(shown, stretch, MOST_BUCKETS);
  const top = niceTop(Math.max(1, ...buckets.flatMap(({ accepted, rate }) => [accepted, rate])));
  const x = (ms: number) => (((ms - stretch.fromMs) / (stretch.toMs - stretch.fromMs || 1)) * WIDTH).toFixed(1);
  const y = (perS: number) => (HEIGHT - (Math.min(perS, top) / top) * HEIGHT).toFixed(1);
  const runs = runsOf(buckets, stretch);
  const lineOf = (run: readonly Bucket[], value: (bucket: Bucket) => number) =>
    // Each line of the chart begins at the start of its first point (a bucket), so that a single point is drawn as a line too.
    [
      ...run.slice(0, 1).map((bucket) => `${x(bucket.fromMs)} ${y(value(bucket))}`),
      ...run.map((bucket) => `${x(bucket.atMs)} ${y(value(bucket))}`),
    ].join('L');
  const area = runs.map(
    (run) =>
      `M${x(run[0]?.fromMs ?? 0)} ${HEIGHT}L${lineOf(run, ({ accepted }) => accepted)}L${x(run.at(-1)?.atMs ?? 0)} ${HEIGHT}Z`,
  );
  const learned = runsOf(
    buckets.filter(({ rate }) => rate > 0),
    stretch,
  ).map((run) => `M${lineOf(run, ({ rate }) => rate)}`);
  const throttled = buckets.filter((bucket) => bucket.throttled > 0).map((bucket) => `M${x(bucket.atMs)} ${HEIGHT}v-7`);
  const words = t`Calls a second from ${clock(stretch.fromMs)} to ${clock(stretch.toMs)} UTC: lately ${perSecond(buckets.at(-1)?.accepted)} accepted, ${learnedWords(buckets.at(-1)?.rate ?? 0)}.`;
  return html`<figure class="pace-chart">
    <div class="pace-scale" aria-hidden="true"><span>${top}/s</span><span>${top / 2}</span><span>0</span></div>
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${words}">
      <path class="pace-grid" d="M0 .5H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT - 0.5}H${WIDTH}" vector-effect="non-scaling-stroke"/>
      <path class="pace-accepted" d="${area.join('')}" vector-effect="non-scaling-stroke"/>
      <path class="pace-learned" d="${learned.join('')}" vector-effect="non-scaling-stroke"/>
      <path class="pace-throttled" d="${throttled.join('')}" vector-effect="non-scaling-stroke"/>
    </svg>
    <div class="pace-times" aria-hidden="true"><span>${clock(stretch.fromMs)}</span><span>${clock(stretch.toMs)} UTC</span></div>
    <figcaption class="pace-legend"><span class="pace-key">accepted</span><span class="pace-key is-learned">learned limit</span><span class="pace-key is-throttled">told to slow down</span><span class="quiet">all portfolios of the account</span></figcaption>
    <details id="pace-table" class="pace-table"><summary>As a table</summary>${renderTable(bucketsOf(shown, stretch, TABLE_ROWS))}</details>
  </figure>`;
}

function renderTable(buckets: readonly Bucket[]): Html {
  return html`<table class="table"><caption class="unseen">Calls a second over time</caption>
    <thead><tr><th scope="col">until (UTC)</th><th scope="col" class="cell is-number">accepted/s</th><th scope="col" class="cell is-number">slow down/s</th><th scope="col" class="cell is-number">learned/s</th></tr></thead>
    <tbody>${buckets.map(
      ({ atMs, accepted, throttled, rate }) =>
        html`<tr><th scope="row">${clock(atMs)}</th><td class="cell is-number">${perSecond(accepted)}</td><td class="cell is-number">${perSecond(throttled)}</td><td class="cell is-number">${rate > 0 ? perSecond(rate) : '–'}</td></tr>`,
    )}</tbody></table>`;
}

/** Merges spans of the pace into at most `most` points of the chart. In a mean, each span is weighted by its length. */
function bucketsOf(
  spans: readonly PaceSpan[],
  { fromMs, toMs }: { fromMs: number; toMs: number },
  most: number,
): Bucket[] {
  const wide = Math.max(LEAST_BUCKET_MS, (toMs - fromMs) / most);
  const groups = Map.groupBy(spans, ({ atMs }) => Math.min(most - 1, Math.floor((atMs - 1 - fromMs) / wide)));
  return [...groups.values()].map((group) => {
    const total = group.reduce((sum, span) => sum + span.atMs - span.fromMs, 0);
    const mean = (of: (span: PaceSpan) => number) =>
      group.reduce((sum, span) => sum + of(span) * (span.atMs - span.fromMs), 0) / total;
    return {
      fromMs: group[0]?.fromMs ?? fromMs,
      atMs: group.at(-1)?.atMs ?? fromMs,
      accepted: mean((span) => span.acceptedPerS),
      throttled: mean((span) => span.throttledPerS),
      rate: group.at(-1)?.learnedPerS ?? 0,
    };
  });
}

/** Splits the points of the chart at times without calls: a line across such a time would show a pace that there was not. */
function runsOf(buckets: readonly Bucket[], { fromMs, toMs }: { fromMs: number; toMs: number }): Bucket[][] {
  const gap = Math.max(10_000, (3 * (toMs - fromMs)) / MOST_BUCKETS);
  const runs: Bucket[][] = [];
  for (const bucket of buckets) {
    const run = runs.at(-1);
    if (run && bucket.atMs - (run.at(-1)?.atMs ?? 0) <= gap) run.push(bucket);
    else runs.push([bucket]);
  }
  return runs;
}

/** The next round number, since nobody can read an axis that ends at 97.3. */
function niceTop(most: number): number {
  const unit = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 4, 6, 8, 10].map((factor) => factor * unit).find((top) => top >= most) ?? 10 * unit;
}

const learnedWords = (rate: number): string =>
  rate > 0 ? t`${perSecond(rate)} the learned limit` : t`no limit met yet`;

function perSecond(value: number | undefined): string {
  if (value === undefined) return '–';
  return value >= 10 || value === 0 ? String(Math.round(value)) : value.toFixed(1);
}

const clock = (ms: number): string => new Date(ms).toISOString().slice(11, 19);
