import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeSilentLog } from '../../src/log.ts';
import { openOwnRedis } from '../../src/redis/own-redis.ts';
import { type PaceCase, type PaceFigures, runPaceCase } from './pace-case.ts';

/**
 * `npm run bench:pace`: how near to a hidden limit the product comes, and how often it runs into it. Ideal is calls /
 * limit, with nothing taken off for the burst that the service allows (a fifth of a second).
 *
 * `--only TEXT` runs the cases whose name ("100 none 1": limit, headers, processes) contains it, `--rows N` sets the size,
 * `--parallel N` runs that many cases at a time, which says less the more of them are fast.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    rows: { type: 'string', default: '1000' },
    parallel: { type: 'string', default: '1' },
  },
});

const LIMITS = [20, 100, 500];
const HEADERS = [
  ...['none', 'retry-after-seconds', 'retry-after-date', 'ratelimit', 'ratelimit-older'],
  ...['x-ratelimit-seconds', 'x-ratelimit-epoch-s', 'x-ratelimit-epoch-ms', 'x-ratelimit-iso'],
] as PaceCase['headers'][];
const PROCESSES = [1, 4];

/** Above this limit the first portfolio is over before its pace is learned, so a second one shows what was learned. */
const TWICE_ABOVE_PER_S = 100;

const nameOf = ({ perS, headers, processes }: PaceCase) => `${perS} ${headers} ${processes}`;
const rows = Number(values.rows);
const cases = LIMITS.flatMap((perS) =>
  HEADERS.flatMap((headers) => PROCESSES.map((processes) => ({ perS, headers, processes, rows }))),
).filter((one) => nameOf(one).includes(values.only));

const dataDir = await mkdtemp(join(tmpdir(), 'limitline-bench-'));
const redis = await openOwnRedis({ dataDir, log: makeSilentLog() });
console.log('| calls/s | headers | processes | portfolio | seconds | ideal | times ideal | 429 | of calls |');
console.log('| --: | --- | --: | --- | --: | --: | --: | --: | --: |');
try {
  const waiting = [...cases];
  const lane = async (): Promise<void> => {
    for (let one = waiting.shift(); one; one = waiting.shift()) {
      const portfolios = one.perS > TWICE_ABOVE_PER_S ? 2 : 1;
      const figures = await runPaceCase(one, { dataDir, portfolios });
      for (const [index, found] of figures.entries()) console.log(tableLine(one, index, found));
    }
  };
  await Promise.all(Array.from({ length: Number(values.parallel) }, lane));
} finally {
  await redis.close();
  await rm(dataDir, { recursive: true, force: true });
}

function tableLine({ perS, headers, processes }: PaceCase, index: number, { seconds, calls, refusals }: PaceFigures) {
  const ideal = calls / perS;
  const words = [perS, headers, processes, index === 0 ? 'first' : 'second', seconds.toFixed(1), ideal.toFixed(1)];
  const shares = [(seconds / ideal).toFixed(3), refusals, `${((100 * refusals) / calls).toFixed(2)} %`];
  return `| ${[...words, ...shares].join(' | ')} |`;
}
