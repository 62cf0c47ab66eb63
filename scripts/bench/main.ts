/**
 * The bench: Limitline beside two peers on the same work, and `check` beside a bare CSV parser. It starts all that it
 * needs on this machine, prints a table in Markdown (or JSON), and leaves nothing behind.
 */
import { messageOf } from '../../src/errors.ts';
import { waitForSignal } from '../signals.ts';
import { numberText } from './figures.ts';
import { machineLine } from './machine.ts';
import { measureLines } from './measure-lines.ts';
import { measureRows } from './measure-rows.ts';
import { readOptions } from './options.ts';
import { lineTable, rowTable } from './tables.ts';

/** `check` is so much faster than a run that it needs more lines to be measured. */
const LINES_PER_ROW = 100;

const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

const stop = new AbortController();
const { signal: stopped, forget } = waitForSignal();
stopped.then((name) => stop.abort(new Error(`stopped by ${name}`)));

try {
  const { rows, rounds, sections, json } = readOptions(process.argv.slice(2));
  const how = { rounds, signal: stop.signal, say };
  const run = sections.includes('run') ? await measureRows({ ...how, rows }) : undefined;
  const check = sections.includes('check') ? await measureLines({ ...how, rows: rows * LINES_PER_ROW }) : undefined;
  const machine = machineLine(run ? { Redis: run.redisVersion, fdatasync: `${numberText(run.syncMs, 2)} ms` } : {});
  const paragraphs = [...(run ? [rowTable(run)] : []), ...(check ? [lineTable(check)] : []), machine];
  const figures = JSON.stringify({ machine, run, check }, null, 2);
  process.stdout.write(`${json ? figures : paragraphs.join('\n\n')}\n`);
} catch (error) {
  // What fails once the signal has come, fails because of it.
  say(`bench: ${messageOf(stop.signal.reason ?? error)}`);
  process.exitCode = 1;
} finally {
  forget();
}
