import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { abortOnSignal } from '../../scripts/process/long-running.ts';
import { messageOf } from '../../src/errors.ts';

/** The arguments of a bench: `signal` is aborted when the process must stop, and `say` prints progress. */
export type BenchPlace = { signal: AbortSignal; say: (text: string) => void };

/**
 * Runs a bench and prints its answer on standard output, progress and faults on standard error. After a fault or a signal, the process ends
 * with status 1 once everything that the bench started has ended.
 */
export async function runBench(bench: (place: BenchPlace) => Promise<string>): Promise<void> {
  const say = (text: string): void => {
    process.stderr.write(`${text}\n`);
  };
  const { signal, forget } = abortOnSignal((name) => new Error(`stopped by ${name}`));
  try {
    process.stdout.write(`${await bench({ signal, say })}\n`);
  } catch (error) {
    // What fails after a signal fails because of it, so the signal is reported.
    say(`bench: ${messageOf(signal.reason ?? error)}`);
    process.exitCode = 1;
  } finally {
    forget();
  }
}

/**
 * What figures were measured on, in one line: they mean little without it.
 *
 * @param facts more about the machine, by name, such as the version of a server
 */
export function machineLine(facts: Readonly<Record<string, string>>): string {
  const cores = availableParallelism();
  const model = cpus()[0]?.model.trim();
  const parts = [
    `${cores} ${cores === 1 ? 'core' : 'cores'}${model ? ` (${model})` : ''}`,
    `${Math.round(totalmem() / 2 ** 30)} GiB`,
    `${type()} ${release()}`,
    `Node ${process.versions.node}`,
    ...Object.entries(facts).map(([name, value]) => `${name} ${value}`),
  ];
  return `Measured on ${parts.join(', ')}.`;
}
