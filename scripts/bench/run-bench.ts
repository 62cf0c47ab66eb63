import { messageOf } from '../../src/errors.ts';
import { waitForSignal } from '../process/signals.ts';

/** What a bench is given: a signal that is aborted when the process is to stop, and a way to say where it is. */
export type BenchPlace = { signal: AbortSignal; say: (text: string) => void };

/**
 * Runs a bench and prints what it answers; progress and faults go to the other stream. A fault, or a signal, ends it with
 * status 1 after everything that it started has ended.
 */
export async function runBench(bench: (place: BenchPlace) => Promise<string>): Promise<void> {
  const say = (text: string): void => {
    process.stderr.write(`${text}\n`);
  };
  const stop = new AbortController();
  const { signal: stopped, forget } = waitForSignal();
  stopped.then((name) => stop.abort(new Error(`stopped by ${name}`)));
  try {
    process.stdout.write(`${await bench({ signal: stop.signal, say })}\n`);
  } catch (error) {
    // What fails once the signal has come, fails because of it.
    say(`bench: ${messageOf(stop.signal.reason ?? error)}`);
    process.exitCode = 1;
  } finally {
    forget();
  }
}
