import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { CallKind } from '../../src/call-kind.ts';
import { LimitlineError } from '../../src/errors.ts';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import { endChild, readUrl } from './child-server.ts';

/** What the stand-in says really happened, see its `GET /_stand-in/made`. */
export type ServiceReport = {
  /** Requests by kind and by answer. */
  requests: Record<CallKind | 'token' | 'other', Record<string, number>>;
  made: Record<CallKind, number>;
  madeTwice: { kind: string; what: string; times: number }[];
  maxPerSecond: number;
  maxInFlight: number;
};

export type RunningService = AsyncDisposable & {
  url: string;
  report(): Promise<ServiceReport>;
  setFaults(change: FaultChange): Promise<void>;
  /** All counts at zero, no faults. */
  reset(): Promise<void>;
  /** Resolves when the first call for a resource has been answered, within {@link LOOK_EVERY_MS} of it. */
  firstCall(signal: AbortSignal): Promise<void>;
};

/**
 * Starts the stand-in of the service in a process of its own (`limitline service`), on a free port of this machine; it
 * ends when it is disposed of.
 *
 * @throws LimitlineError `SERVICE` when it does not start
 */
export async function startService(): Promise<RunningService> {
  const args = [COMMAND, 'service', '--port', '0', '--json'];
  // Nothing of our own environment: a SERVICE_… there would be meant for somebody else.
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, LOG_LEVEL: 'error' };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    return runningService(child, await readUrl(child, 'The stand-in'));
  } catch (error) {
    await endChild(child);
    throw error;
  }
}

/** Calls for resources, whatever they were answered; those for tokens are left out. */
export function resourceCalls({ requests }: ServiceReport): number {
  const { company, document, limit } = requests;
  return [company, document, limit].flatMap((answers) => Object.values(answers)).reduce((sum, count) => sum + count, 0);
}

const COMMAND = fileURLToPath(new URL('../limitline.ts', import.meta.url));

/** The stand-in's own endpoints (`src/stand-in/control-endpoints.ts`). */
const CONTROL_PATH = '/_stand-in';

/** Fine enough for times around a second, and seldom enough to take 2 % of a core at the most. */
const LOOK_EVERY_MS = 10;

function runningService(child: ChildProcess, url: string): RunningService {
  const ask = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const answer = await fetch(`${url}${CONTROL_PATH}${path}`, init);
    if (!answer.ok) {
      const reason = `${answer.status} ${await answer.text()}`;
      throw new LimitlineError('SERVICE', `The stand-in answers ${reason} to ${path}; its control endpoints changed.`);
    }
    return answer.json();
  };
  const report = async () => (await ask('/made')) as ServiceReport;
  return {
    url,
    report,
    async setFaults(change) {
      const headers = { 'content-type': 'application/json' };
      await ask('/faults', { method: 'POST', headers, body: JSON.stringify(change) });
    },
    async reset() {
      await ask('/reset', { method: 'POST' });
    },
    async firstCall(signal) {
      while (resourceCalls(await report()) === 0) await sleep(LOOK_EVERY_MS, undefined, { signal });
    },
    [Symbol.asyncDispose]: () => endChild(child),
  };
}
