import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LimitlineError } from '../../src/errors.ts';
import type { PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';

type WorkerFleet = AsyncDisposable & {
  /** Resolves when each process has said that it is working. */
  allWorking(signal: AbortSignal): Promise<void>;
  /** Kills a working process by SIGKILL and starts another. Returns the killed one's name in the ledger; undefined if none was working. */
  killOne(): Promise<string | undefined>;
};

type FleetPlace = { cwd: string; env: Record<string, string>; onFault: (error: Error) => void; script?: string };

/**
 * Keeps so many `limitline work` processes running until it is disposed of. Each writes its log to us, from which its
 * name in the ledger is read.
 *
 * @param onFault hears of a worker that ended by itself, which none should
 * @param script the command line
 */
export function startFleet(size: number, { cwd, env, onFault, script = COMMAND }: FleetPlace): WorkerFleet {
  /** The name of each process, once it has said that it is working. */
  const running = new Map<ChildProcess, string | undefined>();
  let ending = false;

  const start = (): void => {
    const child = spawn(process.execPath, [script, 'work'], {
      cwd,
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    running.set(child, undefined);
    let lastLine = '';
    createInterface(child.stderr).on('line', (line) => {
      lastLine = line;
      const name = line.includes('"msg":"working"') ? (JSON.parse(line) as { process: string }).process : undefined;
      if (name !== undefined && running.has(child)) running.set(child, name);
    });
    child.once('exit', (status) => {
      // A process that is still in the list was not killed by us.
      if (running.delete(child) && !ending) {
        onFault(
          new LimitlineError('USAGE', `A worker ended by itself with status ${status}; it said last: ${lastLine}`),
        );
      }
    });
  };
  for (let place = 0; place < size; place += 1) start();

  return {
    async allWorking(signal) {
      while ([...running.values()].includes(undefined)) await sleep(LOOK_EVERY_MS, undefined, { signal });
    },
    async killOne() {
      const ready = [...running].filter(([, name]) => name !== undefined);
      const [child, name] = ready[Math.floor(Math.random() * ready.length)] ?? [];
      if (!child) return undefined;
      running.delete(child);
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      start();
      return name;
    },
    async [Symbol.asyncDispose]() {
      ending = true;
      await Promise.all(
        [...running.keys()].map(async (child) => {
          const exited = once(child, 'exit');
          // The process is killed: it has nothing left to do, and its data folder is removed as a whole.
          child.kill('SIGKILL');
          await exited;
        }),
      );
    },
  };
}

/** How often the portfolio is looked at. The times of its beginning and end are the ledger's own. */
const ASK_EVERY_MS = 100;

/**
 * The portfolio once its last row has ended.
 *
 * @throws LimitlineError the reason of the signal if it is one, else `USAGE` with the states of the rows
 */
export async function untilFinished(read: () => Promise<PortfolioState>, signal: AbortSignal): Promise<PortfolioState> {
  for (;;) {
    const state = await read();
    if (state.finishedMs !== undefined) return state;
    if (signal.aborted) {
      if (signal.reason instanceof LimitlineError) throw signal.reason;
      throw new LimitlineError('USAGE', `The portfolio did not end: ${JSON.stringify(state.states)}.`);
    }
    await sleep(ASK_EVERY_MS);
  }
}

/** How often it is checked whether all processes have started, in ms: short compared with the half second that a start takes. */
const LOOK_EVERY_MS = 20;

const COMMAND = fileURLToPath(new URL('../../scripts/limitline.ts', import.meta.url));
