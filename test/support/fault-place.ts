import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { resolveCalls } from '../../jobs/operators/resolve-calls.ts';
import { type FoundRow, walkRows } from '../../jobs/rows/walk-rows.ts';
import { STAND_IN_CREDENTIALS } from '../../src/config.ts';
import type { Summary } from '../../src/ledger/portfolios/summary.ts';
import { OPEN_STATES, type RowResult } from '../../src/ledger/schema/row.ts';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import type { StandIn } from '../../src/stand-in/stand-in.ts';
import { bundled } from './bundle.ts';
import { COMPILED, callCommand, ownDataHome, startCommand } from './command.ts';
import { ownRedis } from './ledger.ts';
import type { Moment } from './moments.ts';
import { openWorkplace } from './workplace.ts';

const WORKER_PROCESS = bundled('worker-process');

/** The action of a worker process at the nth passage of a moment; see worker-process.ts. */
export type Plan = { moment: Moment; nth: number; fault: 'kill' | 'tell' } | BlockPlan;
type BlockPlan = { moment: Moment; nth: number; fault: 'block'; file: string };

export type FaultPlace = Awaited<ReturnType<typeof openFaultPlace>>;

/** A workplace whose workers may also be separate processes, and whose stand-in reports what it really made. */
export async function openFaultPlace(asked: { faults?: FaultChange; env?: Record<string, string> } = {}) {
  const { faults = {}, env = {} } = asked;
  const given = { ...ownRedis(), ...env };
  const place = await openWorkplace({ faults, env: given });
  const { standIn, context, dir } = place;
  const childEnv = {
    SERVICE_URL: standIn.url(),
    // A worker may reach the service at another address than the one that names the account.
    SERVICE_ACCOUNT: standIn.url(),
    SERVICE_CLIENT_ID: STAND_IN_CREDENTIALS.clientId,
    SERVICE_CLIENT_SECRET: STAND_IN_CREDENTIALS.clientSecret,
    ...ownDataHome(dir),
    ...given,
  };

  return {
    ...place,
    /** The settings of a process in this place, as environment variables. */
    childEnv,
    /** Runs a command to its end in the process of the test, with the settings of the place. */
    limitline: (...args: string[]) => callCommand(args, { cwd: dir, env: childEnv }),
    /** Starts any command as a process, with the settings of the place. */
    startCommand: (args: string[]) => startCommand(args, { cwd: dir, env: childEnv }),
    /** Starts `limitline work`, with further settings if given. */
    startWorker: (settings: Record<string, string> = {}) =>
      startCommand(['work'], { cwd: dir, env: { ...childEnv, ...settings } }),
    /** Starts a worker process with a built-in fault. */
    startFaulty: (plan: Plan) => startFaulty(plan, dir, childEnv),
    /** The number of things that the service has made. */
    madeCount: () => Object.values(standIn.counts().made).reduce((sum, count) => sum + count, 0),

    /**
     * Waits until the portfolio settles and checks it: each row is counted once, none is in progress, nothing was made
     * twice, and each limit of a row was made.
     */
    async judged(rows: number): Promise<Summary> {
      const report = await place.settled();
      expect(standIn.madeTwice()).toEqual([]);
      expect(report.rows).toBe(rows);
      expect(Object.values(report.states).reduce((sum, count) => sum + count, 0)).toBe(rows);
      expect(OPEN_STATES.map((state) => report.states[state])).toEqual([0, 0, 0, 0]);
      const made = new Set(standIn.things('limit').map(({ id }) => id));
      const shown = new Set<string>();
      await walkRows(context.rows, 'q4', 'done', async ({ result }) => {
        expect(made).toContain(result.limitId);
        shown.add(result.limitId);
        return false;
      });
      expect(shown.size).toBe(report.states.done);
      return report;
    },

    /** Resolves held rows like a person who asks the service what became of each. */
    async resolveHeld(): Promise<void> {
      const held: FoundRow[] = [];
      await walkRows(context.rows, 'q4', 'held', async (found) => {
        held.push(found);
        return false;
      });
      for (const { result } of held) {
        const made = madeFor(result, standIn.things);
        await resolveCalls({ portfolio: 'q4', line: result.line, made }, context);
      }
    },
  };
}

/** The id of what the service made for a row's request at a step, if anything. */
function madeFor({ problem, step }: FoundRow['result'], things: StandIn['things']): string | undefined {
  const sent = problem?.sent ?? '';
  if (step === 'documents') {
    const [name] = sent.split(', ');
    return things('document').find(({ what }) => what.startsWith(`${name} /`))?.id;
  }
  return things(step).find(({ body }) => isDeepStrictEqual(body, JSON.parse(sent)))?.id;
}

/** A child process with a plan, how it ended, and its output. */
export type Faulty = ReturnType<typeof startFaulty>;

function startFaulty(plan: Plan, cwd: string, env: Record<string, string>) {
  const args = [plan.moment, String(plan.nth), plan.fault, ...(plan.fault === 'block' ? [plan.file] : [])];
  const child: ChildProcess = spawn(process.execPath, [WORKER_PROCESS, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...COMPILED, LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const closed = once(child, 'close');
  const kill = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await closed;
  };
  onTestFinished(kill);
  return {
    kill,
    /** Waits for the end of the process, and returns the signal that ended it. */
    async ended(): Promise<NodeJS.Signals | null> {
      await closed;
      return child.signalCode;
    },
    stop: () => child.kill('SIGTERM'),
    output: () => ({ stdout, stderr }),
  };
}

/** The rows of the portfolio in this end state. */
export async function rowsIn({ context }: FaultPlace, state: 'held' | 'refused'): Promise<RowResult[]> {
  const found = await context.rows.inState('q4', state, { count: 100 });
  return (await context.rows.read(found.map(({ row }) => row))).filter((row) => row !== undefined);
}
