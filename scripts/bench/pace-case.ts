import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readSettings, STAND_IN_CREDENTIALS } from '../../src/config.ts';
import { openContext } from '../../src/context.ts';
import { makeSilentLog } from '../../src/log.ts';
import type { FaultChange } from '../../src/sandbox/fault-settings.ts';

/** One setting of the bench: what the service allows, how it speaks of it, and how many processes work on it. */
export type PaceCase = {
  perS: number;
  headers: NonNullable<NonNullable<FaultChange['rateLimit']>['headers']>;
  processes: number;
  rows: number;
};

/** `seconds` from the import's first line to the last row's end; `refusals` are answers of status 429. */
export type PaceFigures = { seconds: number; calls: number; refusals: number };

/**
 * Lets fresh worker processes bring a portfolio through a fresh stand-in with a hidden limit, and then a second one: it
 * finds the pace that the first has learned.
 *
 * @param dataDir a data folder with a running Redis of its own; every case takes a key prefix of its own in it
 */
export async function runPaceCase(
  { perS, headers, processes, rows }: PaceCase,
  { dataDir, portfolios }: { dataDir: string; portfolios: number },
): Promise<PaceFigures[]> {
  const name = `pace-${perS}-${headers}-${processes}`;
  await using ending = new AsyncDisposableStack();
  const start = (words: string[], env: Record<string, string>) => {
    const child = startLimitline(words, env);
    ending.defer(() => end(child));
    return child;
  };
  const service = start(['service', '--json'], { LOG_LEVEL: 'error' });
  const url = await said(service, /"url": *"([^"]+)"/);
  const control = async (path: string, body?: FaultChange): Promise<Made> => {
    const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    return (await (await fetch(`${url}/_stand-in/${path}`, body ? post : {})).json()) as Made;
  };
  await control('faults', { rateLimit: { perS, burst: Math.max(1, Math.floor(perS / BURST_SHARE)), headers } });
  const env = {
    SERVICE_URL: url,
    SERVICE_CLIENT_ID: STAND_IN_CREDENTIALS.clientId,
    SERVICE_CLIENT_SECRET: STAND_IN_CREDENTIALS.clientSecret,
    LIMITLINE_DATA: dataDir,
    LIMITLINE_PREFIX: name,
  };
  const workers = Array.from({ length: processes }, () => start(['work'], { ...env, LOG_LEVEL: 'info' }));
  await Promise.all(workers.map((worker) => said(worker, /("working")/)));

  const context = await openContext({ settings: readSettings({ env, cwd: dataDir }), log: makeSilentLog() });
  ending.defer(() => context.close());
  const figures: PaceFigures[] = [];
  for (let index = 0; index < portfolios; index += 1) {
    const before = refusalsOf(await control('made'));
    const portfolio = `p${index}`;
    const path = join(dataDir, `${name}-${index}.csv`);
    await writeFile(path, lines(index * rows, rows));
    await once(start(['import', path, '--portfolio', portfolio], env), 'exit');
    const { finishedMs = 0, startedMs = 0 } = await finished(() => context.portfolios.read(portfolio));
    const refusals = refusalsOf(await control('made')) - before;
    figures.push({ seconds: (finishedMs - startedMs) / 1_000, calls: 2 * rows, refusals });
  }
  return figures;
}

/** The burst that the stand-in allows is this part of a second's worth. */
const BURST_SHARE = 5;

/** Fine enough for runs of some seconds; the times themselves are the ledger's. */
const LOOK_EVERY_MS = 50;

const COMMAND = fileURLToPath(new URL('../limitline.ts', import.meta.url));

type Made = { requests: Record<string, Record<string, number>> };

function refusalsOf({ requests }: Made): number {
  return Object.values(requests).reduce((sum, answers) => sum + (answers['429'] ?? 0), 0);
}

function startLimitline(words: string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [COMMAND, ...words], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The first thing of this kind that a process says; what it says after it is read and dropped. */
async function said(child: ChildProcess, what: RegExp): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    const read = (piece: Buffer) => {
      if (text.length > 65_536) return;
      text += String(piece);
      const [, found] = what.exec(text) ?? [];
      if (found !== undefined) resolve(found);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', () => reject(new Error(`a process of the bench ended at once: ${text}`)));
  });
}

async function finished<T extends { finishedMs?: number | undefined }>(read: () => Promise<T>): Promise<T> {
  for (;;) {
    const state = await read();
    if (state.finishedMs !== undefined) return state;
    await sleep(LOOK_EVERY_MS);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

function lines(from: number, count: number): string {
  const rows = Array.from({ length: count }, (_, at) => `Buyer ${from + at} GmbH,DE,HRB ${from + at},${1_000 + at}.50`);
  return ['name,country_code,company_registration_number,requested_limit', ...rows, ''].join('\n');
}
