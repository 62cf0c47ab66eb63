import { makeRecovery } from '../../src/ledger/calls/recovery.ts';
import { makeBuyers } from '../../src/ledger/rows/buyers.ts';
import type { ArchiveStateName } from '../../src/ledger/schema/archives.ts';
import { openApprovals } from './awaiting-ledger.ts';
import { makeRequest } from './ledger.ts';
import { changedIn, pictureOf } from './redis-picture.ts';

/** Keys of rows as identities have them. */
export const DONE = { portfolio: 'q4', key: 'done-row-0000000' };
export const REFUSED = { portfolio: 'q4', key: 'refused-row-0000' };
export const CANCELLED = { portfolio: 'q4', key: 'cancelled-row-00' };

const NO = { step: 'limit', message: 'no', status: 400 } as const;

/**
 * A ledger with a finished portfolio `q4`: a row that is done, one that was refused, and one that was given up. The approval of an
 * import into it waits with nothing to wait for, so that its answer can be tried.
 */
export async function openFinished() {
  const ledger = openApprovals();
  const { connection, keys, rows, portfolios, approvals, calls } = ledger;
  await ledger.process('a');
  const run = await portfolios.startImport('q4', { id: 'file', fileName: 'q4.csv', reading: '{}', by: 'alice' });
  for (const [place, row] of [DONE, REFUSED, CANCELLED].entries()) {
    const request = makeRequest({ buyer: `buyer-of-${row.key}`, companyId: 'company_1' });
    await rows.put(row, place + 2, run.number, request);
  }
  const limit = { kind: 'limit', key: DONE.key, row: DONE, revision: '0' } as const;
  await rows.begin(DONE, 'limit');
  await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' });
  await calls.settle(limit, 'a/1', { id: 'bl_1', record: { total_limit: '1000' }, buyer: `buyer-of-${DONE.key}` });
  await rows.advance(DONE, 'limit', 'done', { limit: 'bl_1', record: { total_limit: '1000' } });
  await rows.begin(REFUSED, 'limit');
  await rows.advance(REFUSED, 'limit', 'refused', { problem: NO });
  await portfolios.cancel('q4', 'alice');
  await rows.cancel(CANCELLED);
  const waiting = await ledger.begin('second.csv', { supplier: 'supplier-key' });
  const { id } = waiting;
  await portfolios.setSupplier('q4', { body: {}, key: 'supplier-key' } as never, id);
  await approvals.close({ portfolio: 'q4', id }, { always: true, above: undefined });
  await run.end();
  const picture = async () => {
    // Signs of life go on meanwhile.
    const { ':workers': _signs, ...all } = await pictureOf(connection, keys.account.replace(/:account$/, ''));
    return all;
  };
  return {
    ...ledger,
    limit,
    run,
    approval: id,
    waiting,
    buyers: makeBuyers({ connection, keys }),
    recovery: makeRecovery({ connection, keys }),
    /** Takes its rows and all that hangs on them out of Redis, and leaves of its hash what lists of archives show. */
    async leave(): Promise<void> {
      const names = Object.keys(await picture()).filter((name) => /^:(row:q4:|portfolio:q4\b)/.test(name));
      const archive = await connection.hget(keys.portfolio('q4'), 'archive');
      await connection.unlink(names.map((name) => keys.account.replace(/:account$/, name)));
      await connection.hset(keys.portfolio('q4'), { archive, started: 1, finished: 2 });
    },
    /** Says where the portfolio is on its way, as those who bring it there write it. */
    async say(is: ArchiveStateName): Promise<void> {
      const state = { is, id: 'an-archive', by: 'alice', sinceMs: 1, startedMs: 1, finishedMs: 2 };
      await connection.hset(keys.portfolio('q4'), 'archive', JSON.stringify(state));
    },
    picture,
    /** Names of the keys that differ after this; of the ids that are known for good only that there is one more. */
    async changedBy(act: () => Promise<unknown>): Promise<string[]> {
      const before = await picture();
      await act();
      const changed = changedIn(before, await picture());
      return [...new Set(changed.map((name) => name.replace(/^(:made:\w+):\d+$/, '$1')))];
    },
  };
}

export type FinishedLedger = Awaited<ReturnType<typeof openFinished>>;
