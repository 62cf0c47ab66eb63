/**
 * Measures the cost of faults, and whether they make anything twice or lose a row. One portfolio is worked on three times: undisturbed;
 * with workers killed and answers lost at random; and with an outage in which each call gets an unclear answer. The bench starts all that
 * it needs on this machine, prints a table in Markdown (or JSON), and leaves nothing behind.
 */
import { parseArgs } from 'node:util';
import { LimitlineError } from '../../src/errors.ts';
import { markdownTable, numberText } from './figures.ts';
import type { FaultFigures, FaultResults } from './measure-faults.ts';
import { KILL_EVERY_MS, LATENCY_MS, LOST_SHARE, measureFaults, OUTAGE_MS, WORKERS } from './measure-faults.ts';
import { machineLine, runBench } from './run-bench.ts';

const USAGE = 'node test/bench/faults.ts [--rows N] [--json]';

/** Rows of the portfolio: enough for several kills, and for several lost answers, which are two in a hundred. */
const DEFAULT_ROWS = '3000';

await runBench(async (place) => {
  const { rows, json } = readFaultOptions(process.argv.slice(2));
  const results = await measureFaults({ ...place, rows });
  const machine = machineLine({ Redis: results.redisVersion });
  return json ? JSON.stringify({ machine, ...results }, null, 2) : `${faultTable(results)}\n\n${machine}`;
});

function readFaultOptions(args: string[]): { rows: number; json: boolean } {
  try {
    const { values } = parseArgs({
      args,
      options: { rows: { type: 'string', default: DEFAULT_ROWS }, json: { type: 'boolean', default: false } },
    });
    if (/^[1-9]\d{0,7}$/.test(values.rows)) return { rows: Number(values.rows), json: values.json };
  } catch {
    // An unknown option is reported below, as an invalid number is.
  }
  throw new LimitlineError('USAGE', `${args.join(' ')}: no such option or value. Usage: ${USAGE}`);
}

function faultTable({ rows, calm, faulty, outage }: FaultResults): string {
  const title = `${numberText(rows)} rows, ${WORKERS} worker processes, ${LATENCY_MS} ms of latency`;
  const faults = `kill -9 every ${KILL_EVERY_MS / 1_000} s, ${LOST_SHARE * 100} % of answers lost`;
  const line = (label: string, of: (figures: FaultFigures) => string) => [label, of(calm), of(faulty), of(outage)];
  const share = (count: number) => `${numberText(count)} (${numberText((count / rows) * 100, 1)} %)`;
  const table = markdownTable(
    [title, 'no faults', faults, `502 to everything for ${OUTAGE_MS / 1_000} s`],
    [
      line('workers killed', ({ kills }) => numberText(kills)),
      line('answers lost', ({ answersLost }) => numberText(answersLost)),
      line('things made twice', ({ madeTwice }) => numberText(madeTwice)),
      line('rows unaccounted for', ({ unaccounted }) => numberText(unaccounted)),
      line('calls in flight at the most', ({ inFlight }) => numberText(inFlight)),
      line('rows held', ({ held }) => share(held)),
      line('kill to its rows moving, s: half of them', ({ recoveryS }) => recoveryText(recoveryS, 0.5)),
      line('kill to its rows moving, s: nine in ten', ({ recoveryS }) => recoveryText(recoveryS, 0.9)),
      line('kill to its rows moving, s: all', ({ recoveryS }) => recoveryText(recoveryS, 1)),
      line('start to finished, s', ({ seconds }) => numberText(seconds, 1)),
      line('slowdown', ({ seconds }) => numberText(seconds / calm.seconds, 2)),
    ],
  );
  return [table, heldLine('Held by the faults', faulty), heldLine('Held by the outage', outage)].join('\n\n');
}

/** Why rows are held, the commonest reason first. */
function heldLine(label: string, { heldWhy }: FaultFigures): string {
  const reasons = Object.entries(heldWhy).sort(([, one], [, other]) => other - one);
  return `${label}: ${reasons.map(([why, rows]) => `${numberText(rows)} at ${why}`).join('; ') || 'none'}.`;
}

/** The seconds after a kill within which this share of the killed worker's rows had moved on, as text. */
function recoveryText(recoveryS: number[], share: number): string {
  const sorted = recoveryS.toSorted((one, other) => one - other);
  const took = sorted[Math.ceil(sorted.length * share) - 1];
  return took === undefined ? '–' : numberText(took, 1);
}
