import { startWorkers } from '../../../jobs/workers/workers.ts';
import { readSettings, type Settings } from '../../../src/config.ts';
import { type Context, openContext } from '../../../src/context.ts';
import { OPEN_STATES, type RowRequest } from '../../../src/ledger/schema/row.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { openService } from '../../../src/open-service.ts';
import { takeSnapshot } from '../check/snapshot.ts';
import { KEYS, runOutside, SERVICE_URL } from '../run/process.ts';
import type { Simulation, World } from '../run/simulation.ts';

const log = runOutside(makeSilentLog);

export function settingsOf(dataDir: string, env: Record<string, string> = {}): Settings {
  return readSettings({
    cwd: dataDir,
    env: {
      HOME: dataDir,
      LIMITLINE_DATA: dataDir,
      REDIS_URL: 'redis://simulated',
      SERVICE_URL,
      SERVICE_CLIENT_ID: 'simulated',
      SERVICE_CLIENT_SECRET: 'simulated-secret-of-nobody',
      SERVICE_CONCURRENCY: '1',
      SERVICE_TIMEOUT_MS: '8000',
      ...env,
    },
  });
}

/** Opens the context of a product process, in the name of a simulated process. */
export async function open(settings: Settings): Promise<Context> {
  return openContext({ settings, log });
}

/** A worker process like `limitline work`. */
export async function work(context: Context): Promise<void> {
  const service = openService(context, SERVICE_URL);
  await service.client.authorize(() => {});
  await startWorkers(context, service);
}

/** Puts rows of a portfolio, each from an import of its own, before anything else begins. */
export async function bringIn(
  context: Context,
  portfolio: string,
  rows: readonly { key: string; request: RowRequest }[],
) {
  const run = await context.portfolios.startImport(portfolio, {
    id: portfolio,
    fileName: `${portfolio}.csv`,
    reading: '{}',
  });
  for (const [place, { key, request }] of rows.entries()) {
    await context.rows.put({ portfolio, key }, place + 2, run.number, request);
  }
  await run.end({ lines: rows.length, rows: rows.length, invalid: 0, duplicate: 0 });
}

/** The request of a row for one buyer, with the data for the service. */
export function requestFor(buyer: string, limit: string): RowRequest {
  return {
    name: buyer,
    buyer: `buyer of ${buyer}`,
    company: { name: buyer, address: { state: null } },
    documents: [],
    limit: {
      requested_limit: limit,
      contact: { first_name: 'A', last_name: 'B', email: `${buyer.replaceAll(' ', '-')}@example.com` },
    },
  } as RowRequest;
}

/** Makes a process open what it needs before the run begins. */
export async function openFor(simulation: Simulation, name: string, settings: Settings): Promise<Context> {
  let context: Context | undefined;
  await simulation.alone(name, async () => {
    context = await open(settings);
  });
  if (!context) throw new Error(`${name} could not open anything.`);
  return context;
}

/** The smallest world: two worker processes and one row. */
export function twoWorkers(settings: Settings): World {
  return {
    name: 'two workers, one row',
    cast: ['ann', 'bob'],
    async setUp(simulation) {
      const importer = await openFor(simulation, 'ida', settings);
      await simulation.alone('ida', async () => {
        await importer.enterAccount();
        await bringIn(importer, 'q4', [{ key: 'row-1', request: requestFor('Buyer 1', '1000') }]);
      });
      const ann = await openFor(simulation, 'ann', settings);
      const bob = await openFor(simulation, 'bob', settings);
      simulation.start('ann', 'starts', () => work(ann));
      simulation.start('bob', 'starts', () => work(bob));
    },
    async isOver({ redis, board }) {
      if (!board.isIdle()) return false;
      const found = await takeSnapshot(redis);
      return OPEN_STATES.every((state) => found.sorted(KEYS.rowsInState('q4', state)).size === 0);
    },
    arrives({ kind, what, nth }) {
      if (nth > 1) throw new Error(`${kind} of ${what} was asked for twice`);
    },
    async checkEnd({ redis }) {
      const found = await takeSnapshot(redis);
      if (!found.sorted(KEYS.rowsInState('q4', 'done')).has('row-1'))
        throw new Error(`the row is not done ${found.keys} ${[...found.sorted(KEYS.rowsInState('q4', 'done'))]}`);
    },
  };
}
