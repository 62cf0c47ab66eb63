import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { askSessions, type SessionChoice } from '../../jobs/operators/ask-sessions.ts';
import type { Context } from '../../src/context.ts';
import type { HostedSession } from '../../src/ledger/calls/sessions.ts';
import { STAND_IN_SESSION_PATH } from '../../src/stand-in/resource-endpoints.ts';
import { buyerLines, makeFolder, openWorkplace } from './workplace.ts';

/** A placeholder in the body of a session description. */
export const sessionPlace = (name: string) => `\${${name}}`;

/** A description of the stand-in's call for a hosted session. */
export const SESSION_FILE = {
  path: STAND_IN_SESSION_PATH,
  body: {
    buyer_company: sessionPlace('buyer'),
    return_url: sessionPlace('return_url'),
    reference: `${sessionPlace('name')}, ${sessionPlace('limit')}`,
  },
  return_url: 'https://platform.example/done',
  link: '/url',
  ends: '/expires_at',
};

/** Writes a session file with changes, and returns its path. */
export async function writeSessionFile(change: Record<string, unknown> = {}): Promise<string> {
  const path = join(await makeFolder(), 'session.json');
  await writeFile(path, JSON.stringify({ ...SESSION_FILE, ...change }));
  return path;
}

/** A workplace with a session file, a finished portfolio `q4` of so many rows, and running workers. */
export async function openSessionPlace(
  rows = 1,
  given: Parameters<typeof openWorkplace>[0] & { change?: Record<string, unknown> } = {},
) {
  const { faults = {}, env = {}, change = {} } = given;
  const SERVICE_SESSION_FILE = await writeSessionFile(change);
  const place = await openWorkplace({ faults, env: { ...env, SERVICE_SESSION_FILE } });
  await place.import(buyerLines(rows));
  const workers = await place.work();
  await place.settled();
  const { context } = place;
  const ask = (choice: Partial<SessionChoice> = {}, anew: boolean | number = false) =>
    askSessions({ portfolio: 'q4', ...choice }, { by: 'olga', anew }, context);
  return { ...place, workers, ask, sessionsOf: (portfolio = 'q4') => sessionsOf(context, portfolio) };
}

/** The sessions of all done rows of a portfolio, grouped by row, the latest first. */
export async function sessionsOf(context: Context, portfolio = 'q4'): Promise<HostedSession[][]> {
  const found = await context.rows.inState(portfolio, 'done', { count: 1_000 });
  const results = await context.rows.read(found.map(({ row }) => row));
  return Promise.all(results.map((result) => context.calls.sessions.of(result?.limitId ?? '')));
}

/** Waits until the sessions of the rows have these states, the latest of each row first. */
export async function expectStates(
  of: { sessionsOf: () => Promise<HostedSession[][]> },
  states: readonly (readonly HostedSession['state'][])[],
): Promise<void> {
  const now = async () => (await of.sessionsOf()).map((row) => row.map(({ state }) => state));
  await expect.poll(now, { timeout: 60_000, interval: 100 }).toEqual(states);
}

/** The number of session calls at the stand-in, with any answer. */
export function requestsOf(place: {
  standIn: { counts: () => { requests: { session?: Record<string, number> } } };
}): number {
  return Object.values(place.standIn.counts().requests.session ?? {}).reduce((sum, count) => sum + count, 0);
}
