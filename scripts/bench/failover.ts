/**
 * What a failover of Redis costs, and what it must not: rounds of a primary that loses its replicas, hangs and is killed while
 * workers are at work, and of a sentinel that makes a replica the primary. With --wakes the primary is not killed, and takes
 * itself for the primary for a while. It starts all that it needs on this machine, prints a table in Markdown (or JSON), and
 * leaves nothing behind.
 */
import { parseArgs } from 'node:util';
import { LimitlineError } from '../../src/errors.ts';
import { numberText } from './figures.ts';
import { machineLine } from './machine.ts';
import { markdownTable } from './markdown-table.ts';
import { runBench } from './run-bench.ts';
import { type FailoverFigures, tryFailover } from './try-failover.ts';

const USAGE = 'node scripts/bench/failover.ts [--rounds N] [--rows N] [--replicas N] [--wakes] [--json]';

/** The primary works on without its replicas for up to so long: from not at all to several batches of calls. */
const LONGEST_CUT_OFF_MS = 800;

await runBench(async ({ signal, say }) => {
  const { rounds, rows, replicas, wakes, json } = readFailoverOptions(process.argv.slice(2));
  const settings: Record<string, string> = replicas === undefined ? {} : { REDIS_REPLICAS: replicas };
  const results: FailoverFigures[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const cutOffMs = Math.round(Math.random() * LONGEST_CUT_OFF_MS);
    const figures = await tryFailover({ rows, cutOffMs, wakes, settings, signal });
    say(`round ${round} of ${rounds}, ${cutOffMs} ms without replicas: ${JSON.stringify(figures)}`);
    results.push(figures);
  }
  return json ? JSON.stringify({ rows, rounds: results }, null, 2) : failoverTable(rows, results);
});

function readFailoverOptions(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        rounds: { type: 'string', default: '20' },
        rows: { type: 'string', default: '600' },
        replicas: { type: 'string' },
        wakes: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    });
    const { rounds, rows, replicas, wakes, json } = values;
    if ([rounds, rows].every((text) => /^[1-9]\d{0,5}$/.test(text)))
      return { rounds: Number(rounds), rows: Number(rows), replicas, wakes, json };
  } catch {
    // Said below, as for a number that is none.
  }
  throw new LimitlineError('USAGE', `${args.join(' ')}: no such option or value. Usage: ${USAGE}`);
}

function failoverTable(rows: number, results: FailoverFigures[]): string {
  const all = (of: (figures: FailoverFigures) => number) => results.map(of).sort((one, other) => one - other);
  const sum = (of: (figures: FailoverFigures) => number) =>
    numberText(all(of).reduce((total, each) => total + each, 0));
  const seconds = all((figures) => figures.seconds);
  const range = [seconds[0], seconds[Math.floor(seconds.length / 2)], seconds.at(-1)].map((value) =>
    numberText(value ?? 0, 1),
  );
  const table = markdownTable(
    [`${results.length} failovers under load, ${numberText(rows)} rows each`, 'in all'],
    [
      ['things made twice', sum(({ madeTwice }) => madeTwice)],
      ['rows unaccounted for', sum(({ unaccounted }) => unaccounted)],
      ['rows held', sum(({ held }) => held)],
      ['rows done', sum(({ done }) => done)],
      ['failover to portfolio finished, s: least, median, most', range.join(', ')],
    ],
  );
  return `${table}\n\n${machineLine({})}`;
}
