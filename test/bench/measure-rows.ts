import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { LimitlineError } from '../../src/errors.ts';
import { type ContenderPlace, checkStatement, ROW_CONTENDERS, type RowContender, runContender } from './contenders.ts';
import { markdownTable, numberText, ratiosOf, spreadOf, spreadText } from './figures.ts';
import { generatePortfolio } from './generate-portfolio.ts';
import { makeTemporaryFolder, type RunningService, resourceCalls, startRedis, startService } from './start-servers.ts';

/** What one run of one contender took. */
export type RowFigures = {
  /** Rows a second, from the first line read to the last row ended, as the contender states it. */
  rowsPerS: number;
  /** The time from the start of the contender's process to its end. */
  wallS: number;
  /** The time from the start of the contender's process until the service has answered its first call, as the service's side sees it. */
  firstCallS: number | undefined;
  peakMemoryBytes: number;
  /** Processor time of the contender's own process; Redis and the service are not in it. */
  cpuS: number;
  /** Processor time of the contender's Redis. */
  redisCpuS: number | undefined;
  /** The bytes that the contender's Redis holds more after the run than before, divided by the rows. */
  redisBytesPerRow: number | undefined;
  calls: number;
  madeTwice: number;
};

/**
 * Runs every contender once a round, in turn, on the same file and with the same stand-in, each with an empty Redis. A run before the first
 * round does not count: in it, V8 compiles the stand-in, which would slow down the first contender.
 *
 * @param isKept whether Redis keeps every write on the disk, as the product's own does
 * @throws LimitlineError when a contender does not do what it should
 */
export async function measureRows(given: MeasureOptions & { isKept?: boolean }): Promise<RowResults> {
  const { rows, rounds, isKept = true, signal, say } = given;
  await using folder = await makeTemporaryFolder();
  await using service = await startService();
  const setup = await makeSetup('buyers.csv', rows, { folder: folder.path, service, isKept, signal });
  const results = ROW_CONTENDERS.map(({ name }): ContenderRounds => ({ name, rounds: [] }));
  const syncMs = await measureSyncMs(folder.path);
  let redisVersion = '';
  say('warming up');
  const warmUp = await makeSetup('warm-up.csv', Math.min(rows, WARM_UP_ROWS), setup);
  for (const contender of ROW_CONTENDERS.filter(({ usesRedis }) => !usesRedis)) await measure(contender, warmUp);
  for (let round = 1; round <= rounds; round += 1) {
    for (const [place, contender] of ROW_CONTENDERS.entries()) {
      say(`round ${round} of ${rounds}: ${contender.name}, ${rows} rows`);
      const { version, figures } = await measure(contender, setup);
      results[place]?.rounds.push(figures);
      redisVersion = version;
    }
  }
  return { rows, redisVersion, syncMs, isKept, results };
}

const MIB = 2 ** 20;

/** The text of the table for a figure that cannot be measured. */
const NONE = '–';

/** A line of the table: its label, how its figure is read from a round, and the number of digits after the decimal point. */
type Figure = { label: string; of: (round: RowFigures) => number | undefined; digits?: number };

/** The lines of the table. By the first figure, the first contender is also compared with the others. */
const FIGURES: readonly [Figure, ...Figure[]] = [
  { label: 'rows a second', of: (round) => round.rowsPerS },
  { label: 'whole process, s', of: (round) => round.wallS, digits: 2 },
  { label: 'start to first call, s', of: (round) => round.firstCallS, digits: 2 },
  { label: 'peak memory, MiB', of: (round) => round.peakMemoryBytes / MIB },
  { label: 'CPU of the process, s', of: (round) => round.cpuS, digits: 2 },
  { label: 'CPU of its Redis, s', of: (round) => round.redisCpuS, digits: 2 },
  { label: 'Redis, bytes a row', of: (round) => round.redisBytesPerRow },
  { label: 'calls', of: (round) => round.calls },
  { label: 'made twice', of: (round) => round.madeTwice },
];

export function rowTable({ rows, isKept, results }: RowResults): string {
  const redis = isKept ? '' : '; Redis without a file';
  const title = `${numberText(rows)} rows, a company and a limit each${redis}; median (min–max)`;
  const body = FIGURES.map(({ label, of, digits }) => [
    label,
    ...results.map(({ rounds }) => {
      const values = rounds.map(of).filter((value) => value !== undefined);
      return values.length === 0 ? NONE : spreadText(spreadOf(values), digits);
    }),
  ]);
  return markdownTable([title, ...results.map(({ name }) => name)], [...body, ratioRow(results, FIGURES[0])]);
}

type ContenderRounds = { name: string; rounds: RowFigures[] };

type RowResults = {
  rows: number;
  /** Whether Redis wrote everything to the disk before it answered. If not, it kept nothing there. */
  isKept: boolean;
  redisVersion: string;
  /** The time that the disk takes to keep a write, see {@link measureSyncMs}. */
  syncMs: number;
  results: ContenderRounds[];
};

type MeasureOptions = { rows: number; rounds: number; signal: AbortSignal; say: (text: string) => void };

type Setup = {
  folder: string;
  file: string;
  rows: number;
  service: RunningService;
  isKept: boolean;
  signal: AbortSignal;
};

/** The number of rows of the run before the first round: enough calls for V8 to have compiled all that answers them. */
const WARM_UP_ROWS = 2_000;

async function makeSetup(
  name: string,
  rows: number,
  place: Pick<Setup, 'folder' | 'service' | 'isKept' | 'signal'>,
): Promise<Setup> {
  const file = join(place.folder, name);
  await generatePortfolio({ path: file, rows });
  return { ...place, file, rows };
}

async function measure(contender: RowContender, setup: Setup): Promise<{ version: string; figures: RowFigures }> {
  const { file, rows, service } = setup;
  await service.reset();
  await using redis = await startRedis({ isKept: setup.isKept });
  const before = await redis.figures();
  const { ran, firstCallS } = await runAndWatch(contender, { file, serviceUrl: service.url, redis }, setup);
  const after = await redis.figures();
  const statement = contender.statement(ran.answer);
  checkStatement(contender.name, statement, { fromMs: ran.startedMs, toMs: ran.startedMs + ran.wallMs, rows });
  const figures: RowFigures = {
    rowsPerS: (rows * 1_000) / (statement.finishedMs - statement.startedMs),
    wallS: ran.wallMs / 1_000,
    firstCallS,
    peakMemoryBytes: ran.peakMemoryBytes,
    cpuS: ran.cpuMs / 1_000,
    redisCpuS: contender.usesRedis ? (after.cpuMs - before.cpuMs) / 1_000 : undefined,
    redisBytesPerRow: contender.usesRedis ? (after.usedMemoryBytes - before.usedMemoryBytes) / rows : undefined,
    ...(await countCalls(contender.name, setup)),
  };
  return { version: before.version, figures };
}

async function runAndWatch(contender: RowContender, place: ContenderPlace, { folder, service, signal }: Setup) {
  const over = new AbortController();
  const startedAt = performance.now();
  const first = service.firstCall(over.signal).then(
    () => (performance.now() - startedAt) / 1_000,
    () => undefined,
  );
  try {
    const ran = await runContender(contender.command(place), { cwd: folder, signal });
    over.abort();
    return { ran, firstCallS: await first };
  } finally {
    over.abort();
  }
}

/**
 * Reads the counts from the service.
 *
 * @throws LimitlineError `USAGE` unless each row made one company and one limit, and nothing was made twice
 */
async function countCalls(name: string, { rows, service }: Setup): Promise<{ calls: number; madeTwice: number }> {
  const report = await service.report();
  const { made, madeTwice } = report;
  if (made.company !== rows || made.limit !== rows || madeTwice.length > 0) {
    const found = `${made.company} companies and ${made.limit} limits, ${madeTwice.length} of them twice`;
    throw new LimitlineError('USAGE', `${name} made ${found}, where ${rows} of each were asked for.`);
  }
  return { calls: resourceCalls(report), madeTwice: madeTwice.length };
}

/**
 * How long the disk of this folder takes to keep some bytes for good, in ms: the median of many. A Redis that answers
 * nothing before it is on the disk (`appendfsync always`) waits that long for each bundle of commands.
 */
async function measureSyncMs(folder: string): Promise<number> {
  await using file = await open(join(folder, 'sync-cost'), 'a');
  const durationsMs: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    await file.appendFile(BYTES);
    const startedAt = performance.now();
    await file.datasync();
    durationsMs.push(performance.now() - startedAt);
  }
  return spreadOf(durationsMs).median;
}

/** How often the disk is measured: half a second on a slow one, and enough for a median. */
const TURNS = 50;

/** The bytes that are written to the disk at each turn of measuring it: about as much as a bundle of commands. */
const BYTES = Buffer.alloc(4_096, 'x');

/** The row of the table that says by which factor the first contender's figure is larger than each other's, compared round by round. */
function ratioRow([first, ...others]: readonly ContenderRounds[], { label, of }: Figure): string[] {
  const values = (rounds: readonly RowFigures[] = []) => rounds.map((round) => of(round) ?? Number.NaN);
  const ratios = others.map(({ rounds }) => spreadText(spreadOf(ratiosOf(values(first?.rounds), values(rounds))), 2));
  return [`${label}: ${first?.name} ÷ this one`, NONE, ...ratios];
}
