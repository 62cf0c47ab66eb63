import { Redis } from 'ioredis';
import type { RowFilter } from '../../src/ledger/search/row-filter.ts';
import { numberText } from './figures.ts';
import { type BenchLedger, benchRequest, fillPortfolio, idOf, openBenchLedger } from './fill-ledger.ts';
import { machineLine } from './machine.ts';
import { markdownTable } from './markdown-table.ts';
import { runBench } from './run-bench.ts';
import { startRedis } from './start-redis.ts';

/**
 * `node scripts/bench/search.ts [ROWS]`: what the indexes of a portfolio of so many rows (1,000,000 by default) cost in memory,
 * and how long a first page and the one behind it take by each filter and search.
 */
const PORTFOLIO = 'bench';
const PAGE_ROWS = 50;
const ROUNDS = 30;

await runBench(async ({ signal, say }) => {
  const rows = Number(process.argv[2] ?? 1_000_000);
  await using redis = await startRedis();
  const connection = new Redis({ path: redis.socketPath, maxRetriesPerRequest: null });
  try {
    const ledger = openBenchLedger(connection);
    // Nothing of what is measured is written, and a disk is not what is measured.
    await connection.config('SET', 'appendonly', 'no');
    const startedMs = performance.now();
    await fillPortfolio(ledger, { portfolio: PORTFOLIO, rows }, signal);
    say(`${numberText(rows)} rows in ${numberText((performance.now() - startedMs) / 1_000)} s`);
    const memory = await memoryTable(connection, rows);
    const times = await timeTable(ledger, rows, signal);
    const { version } = await redis.figures();
    return [memory, times, machineLine({ Redis: version })].join('\n\n');
  } finally {
    connection.disconnect();
  }
});

/** Bytes a row of each index, as Redis counts them, with the keys themselves. */
async function memoryTable(connection: Redis, rows: number): Promise<string> {
  const bytes = new Map<string, number>();
  let cursor = '0';
  do {
    const [next, keys] = await connection.scan(cursor, 'MATCH', `*portfolio:${PORTFOLIO}:*`, 'COUNT', 5_000);
    const step = connection.pipeline();
    for (const key of keys) step.memory('USAGE', key);
    const sizes = (await step.exec()) ?? [];
    for (const [at, key] of keys.entries()) {
      const [, what = ''] = key.split(`portfolio:${PORTFOLIO}:`)[1]?.match(/^(\w+)/) ?? [];
      bytes.set(what, (bytes.get(what) ?? 0) + Number(sizes[at]?.[1] ?? 0));
    }
    cursor = next;
  } while (cursor !== '0');
  const lines = [...bytes].map(([what, size]) => [what, numberText(size / rows, 1)]);
  const searched = ['names', 'ids', 'column'].reduce((sum, what) => sum + (bytes.get(what) ?? 0), 0);
  return markdownTable(
    ['Index', 'bytes a row'],
    [...lines, ['search (names, ids, column)', numberText(searched / rows, 1)]],
  );
}

async function timeTable({ rows: ledger }: BenchLedger, rows: number, signal: AbortSignal): Promise<string> {
  const lines: string[][] = [];
  for (const [what, filterOf] of filters(rows)) {
    const [first, second]: [number[], number[]] = [[], []];
    let found = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      signal.throwIfAborted();
      const filter = filterOf(Math.floor((rows * (round + 0.5)) / ROUNDS));
      const startedMs = performance.now();
      const page = await ledger.page(PORTFOLIO, filter, { count: PAGE_ROWS });
      first.push(performance.now() - startedMs);
      found += page.found.length;
      if (page.next === undefined) continue;
      const againMs = performance.now();
      await ledger.page(PORTFOLIO, filter, { count: PAGE_ROWS, after: page.next });
      second.push(performance.now() - againMs);
    }
    lines.push([what, numberText(found / ROUNDS), ...spread(first), ...spread(second)]);
  }
  return markdownTable(['First page by', 'rows', 'median, ms', '99th, ms', 'next page: median, ms', '99th, ms'], lines);
}

function filters(rows: number): [string, (index: number) => RowFilter][] {
  return [
    ['nothing', () => ({})],
    ['state done', () => ({ states: ['done'] })],
    ['state refused or held', () => ({ states: ['refused', 'held'] })],
    ['status approved', () => ({ status: 'approved' })],
    ['status declined (one in a thousand)', () => ({ status: 'declined' })],
    ['status that nobody has', () => ({ status: 'lost' })],
    ['amount from and to', () => ({ min: '100000', max: '200000' })],
    [
      'one amount',
      (index) => ({ min: benchRequest(index).limit.requested_limit, max: benchRequest(index).limit.requested_limit }),
    ],
    ['amount that nobody asks for', () => ({ min: '99999999' })],
    ['refused, and a rare amount', () => ({ states: ['refused'], min: '990000' })],
    ['done, declined, large', () => ({ states: ['done'], status: 'declined', min: '900000' })],
    ['line', (index) => ({ text: String(index + 2) })],
    ['name, whole', (index) => ({ text: benchRequest(index).name })],
    ['name, one letter', () => ({ text: 'm' })],
    ['name, three letters', () => ({ text: 'mül' })],
    ['name and state held', () => ({ text: 'keller', states: ['held'] })],
    ['registration number', (index) => ({ text: String(benchRequest(index).limit.company_registration_number) })],
    ['company id', (index) => ({ text: `company_${idOf(index)}` })],
    ['limit id', (index) => ({ text: `bl_${idOf(index)}` })],
    ['nothing that there is', () => ({ text: `nobody ${rows}` })],
  ];
}

function spread(times: readonly number[]): string[] {
  if (times.length === 0) return ['', ''];
  const sorted = [...times].sort((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return [numberText(at(0.5), 1), numberText(at(0.99), 1)];
}
