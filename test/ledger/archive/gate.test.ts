import { describe, expect, test } from 'vitest';
import { makeRecovery } from '../../../src/ledger/calls/recovery.ts';
import { makeBuyers } from '../../../src/ledger/rows/buyers.ts';
import { makeFinished } from '../../../src/ledger/rows/finished.ts';
import { ARCHIVE_STATES, type ArchiveStateName, archivedOf } from '../../../src/ledger/schema/archives.ts';
import { openApprovals } from '../../support/awaiting-ledger.ts';
import { makeRequest } from '../../support/ledger.ts';
import { changedIn, pictureOf } from '../../support/redis-picture.ts';

/** Keys of rows as identities have them. */
const DONE = { portfolio: 'q4', key: 'done-row-0000000' };
const REFUSED = { portfolio: 'q4', key: 'refused-row-0000' };
const CANCELLED = { portfolio: 'q4', key: 'cancelled-row-00' };

const NO = { step: 'limit', message: 'no', status: 400 } as const;

/**
 * A ledger with a finished portfolio `q4`: a row that is done, one that was refused, and one that was given up. The approval of an
 * import into it waits with nothing to wait for, so that its answer can be tried.
 */
async function openFinished() {
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
    // Heartbeats continue meanwhile.
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
    /**
     * Removes its rows and all keys that belong to them from Redis, and keeps the fields that lists of archives show.
     */
    async leave(): Promise<void> {
      const names = Object.keys(await picture()).filter((name) => /^:(row:q4:|portfolio:q4\b)/.test(name));
      const archive = await connection.hget(keys.portfolio('q4'), 'archive');
      await connection.unlink(names.map((name) => keys.account.replace(/:account$/, name)));
      await connection.hset(keys.portfolio('q4'), { archive, started: 1, finished: 2 });
    },
    /** Sets the archive state of the portfolio as the archiving code writes it. */
    async say(is: ArchiveStateName): Promise<void> {
      const state = { is, id: 'an-archive', by: 'alice', sinceMs: 1, startedMs: 1, finishedMs: 2 };
      await connection.hset(keys.portfolio('q4'), 'archive', JSON.stringify(state));
    },
    picture,
    /** Names of the keys that differ after `act`; of the ids that are known for good only that there is one more. */
    async changedBy(act: () => Promise<unknown>): Promise<string[]> {
      const before = await picture();
      await act();
      const changed = changedIn(before, await picture());
      return [...new Set(changed.map((name) => name.replace(/^(:made:\w+):\d+$/, '$1')))];
    },
  };
}

type FinishedLedger = Awaited<ReturnType<typeof openFinished>>;

const FILE = { id: 'other', fileName: 'other.csv', reading: '{}', by: 'alice' };
const NEW = { portfolio: 'q4', key: 'new-row-00000000' };
const SUPPLIER = { body: {}, key: 'supplier-key' } as never;
const PART = { plan: 'a-plan', beforeMs: Number.MAX_SAFE_INTEGER };

/** What people, imports and nightly tasks would change in it: each is refused because it is archived. */
const REFUSED_ACTS: Record<string, (ledger: FinishedLedger) => Promise<unknown>> = {
  'an import': ({ portfolios }) => portfolios.startImport('q4', FILE),
  'an import that replaces': ({ portfolios }) => portfolios.startReplacing('q4', FILE),
  'lines noted by an import that slept': ({ run }) =>
    run.noteLines(new Map([[9, { key: '', fault: { kind: 'invalid', message: 'x' } }]])),
  'the end of an import that slept': ({ run }) => run.end(),
  'a new row': ({ rows }) => rows.put(NEW, 9, '1', makeRequest()),
  'new rows together': ({ rows }) =>
    rows.putNew({ portfolio: 'q4', number: '1', generation: 0, approval: undefined }, [
      { key: NEW.key, line: 9, request: makeRequest(), seen: 0 },
    ]),
  'a row that is there, with other words': ({ rows }) => rows.put(REFUSED, 3, '1', makeRequest({ name: 'Other AG' })),
  'a row left out': ({ rows }) =>
    rows.leaveOut(REFUSED, { importId: '9', begun: '9' }, { step: 'limit', message: 'x' }),
  'a retry of a refused row': ({ rows }) => rows.requeue(REFUSED, 'refused'),
  'a retry of a cancelled row': ({ rows }) => rows.requeue(CANCELLED, 'cancelled', true, { by: 'alice', part: PART }),
  'a row given up': ({ rows }) => rows.cancel(REFUSED),
  'a row given up by a plan': ({ rows }) => rows.giveUp(REFUSED, 'refused' as never, [], PART, 'alice'),
  'a pause': ({ portfolios }) => portfolios.pause('q4', 'by request'),
  'a resumption': ({ portfolios }) => portfolios.resume('q4'),
  'a cancellation': ({ portfolios }) => portfolios.cancel('q4', 'alice'),
  'some rows first': ({ portfolios }) => portfolios.sendFirst('q4', 5),
  'a supplier': ({ portfolios }) => portfolios.setSupplier('q4', SUPPLIER),
  'a supplier asked for again': ({ portfolios }) => portfolios.reviveSupplier('q4', SUPPLIER),
  'the approval of an import': ({ approvals }) =>
    approvals.beginImport('q4', { file: FILE, number: '2', authors: ['alice'] }),
  'the approval of a retry': ({ approvals }) => approvals.askFor({ portfolio: 'q4', kind: 'retry', by: 'alice' }),
  'an author of an approval': ({ approvals, approval }) =>
    approvals.addAuthors({ portfolio: 'q4', id: approval }, ['carol']),
  'a row that awaits approval': ({ approvals, approval }) =>
    approvals.awaitRow(REFUSED, 'refused', { id: approval, by: 'alice' }),
  'the end of an approval’s rows': ({ approvals, approval }) =>
    approvals.close({ portfolio: 'q4', id: approval }, { always: true, above: undefined }),
  'a yes': ({ grant, waiting }) => grant(waiting),
  'a no': ({ decline, waiting }) => decline(waiting),
  'approved rows that go': ({ approvals, approval }) =>
    approvals.freeSome({ portfolio: 'q4', id: approval }, [REFUSED]),
  'an approved answer': ({ approvals, approval }) => approvals.goAnswered(REFUSED, approval),
  'an approved answer that is carried out': ({ approvals, approval }) => approvals.carriedOut(REFUSED, approval),
  'a held row again': ({ approvals, approval }) => approvals.restore(REFUSED, approval),
  'a results file': ({ recovery }) =>
    recovery.putBack(
      {
        kind: 'limit',
        keys: [NEW.key],
        buyer: 'b',
        row: `q4/${NEW.key}`,
        asked: undefined,
        line: 9,
        atMs: 1,
        ...{ is: 'made', id: 'bl_9', record: {}, company: '', documents: [] },
      },
      { write: true },
    ),
};

/** What workers and the nightly check do without a person: these change nothing. */
const QUIET_ACTS: Record<string, (ledger: FinishedLedger) => Promise<unknown>> = {
  'a job that is left of a refused row': ({ rows }) => rows.begin(REFUSED, 'limit'),
  'a late end of a refused row': ({ rows }) => rows.advance(REFUSED, 'limit', 'done', { limit: 'bl_7', record: {} }),
  'a late end of a cancelled row': ({ rows }) =>
    rows.advance(CANCELLED, 'limit', 'done', { limit: 'bl_7', record: {} }),
  'a call that is asked for': async ({ calls }) => {
    const thing = { kind: 'limit', key: REFUSED.key, row: REFUSED, revision: '0' } as const;
    expect(await calls.claim(thing, { owner: 'a/2', onUnknown: 'resend' })).toEqual({ is: 'cancelled' });
  },
  'a token call that is counted': ({ portfolios }) => portfolios.count('q4', 'token'),
  'the end of a supplier': ({ portfolios }) =>
    portfolios.endSupplier('q4', { body: {}, key: 'supplier-key', id: 'company_9' } as never),
  'rows that are chosen to go first': ({ portfolios }) => portfolios.chooseFirst('q4', 3, { from: 0, count: 3 }),
  'imports that are swept': ({ portfolios }) => portfolios.sweepImports('q4'),
  'a look': ({ portfolios }) => portfolios.read('q4'),
  'a comparison of its rows': ({ portfolios }) => portfolios.compare(['q4']),
  'a comparison of its approvals': ({ approvals }) => approvals.compare('q4'),
  'a comparison of what is held': ({ portfolios }) => portfolios.compareHeld(['q4']),
  'news that it is finished': ({ connection, keys }) =>
    makeFinished({ connection, keys, processId: 'a', sinceMs: 0 }).news(),
};

// Promises: nothing-changes-archived, archived-is-said
test.each(ARCHIVE_STATES)('nothing changes a portfolio that is %s', async (is) => {
  const ledger = await openFinished();
  await ledger.say(is);
  const before = await ledger.picture();
  for (const [what, act] of Object.entries(REFUSED_ACTS)) {
    const words = { archiving: 'archived', leaving: 'archived', restoring: 'restored', forgetting: 'forgotten' };
    const expected = { code: 'USAGE', message: expect.stringMatching(`^q4 (is|was) .*${words[is as never] ?? is}`) };
    await expect(act(ledger), what).rejects.toMatchObject(expected);
  }
  for (const act of Object.values(QUIET_ACTS)) await act(ledger);
  expect(await ledger.picture()).toEqual(before);
});

test('the same operations change a portfolio that is not archived', async () => {
  const ledger = await openFinished();
  const before = await ledger.picture();
  for (const act of Object.values(REFUSED_ACTS))
    await act(ledger).catch((error) => expect(archivedOf(error)).toBeUndefined());
  expect(changedIn(before, await ledger.picture())).toEqual(
    expect.arrayContaining([':portfolio:q4', `:row:q4:${REFUSED.key}`, `:row:q4:${NEW.key}`]),
  );
});

describe('a late answer to a call of a row that is archived', () => {
  const things = {
    limit: { kind: 'limit', key: REFUSED.key, row: REFUSED, revision: '0' },
    company: { kind: 'company', key: 'late', row: CANCELLED, revision: '0' },
  } as const;

  /** Both calls are under way when the portfolio is archived. */
  async function openLate(isGone: boolean) {
    const ledger = await openFinished();
    const { connection, keys } = ledger;
    for (const [kind, { key, row }] of Object.entries(things)) {
      const call = { state: 'claimed', owner: `a/${kind}`, row: `q4/${row.key}`, at: 5, sends: 1 };
      await connection.hset(keys.call(kind as 'limit', key), call);
    }
    await ledger.say('archived');
    if (isGone) await ledger.leave();
    return ledger;
  }

  // Promise: late-answer-after-archive
  test.each([true, false])(
    'is stored with the call, its buyer and the account, and nowhere else (rows removed: %s)',
    async (isGone) => {
      const ledger = await openLate(isGone);
      const { calls, rows, changedBy } = ledger;
      const made = { id: 'bl_late', record: { total_limit: '5' }, buyer: 'late' };
      const changed = await changedBy(async () => {
        expect(await calls.settle(things.limit, 'a/limit', made)).toMatchObject({ id: 'bl_late', late: false });
        const state = await rows.advance(REFUSED, 'limit', 'done', { limit: 'bl_late', record: {} });
        expect(state).toBe(isGone ? '' : 'refused');
      });
      expect(changed).toEqual([':account', ':buyer:late:limits', `:call:limit:${REFUSED.key}`, ':made:limit']);
      expect(await calls.madeId(things.limit)).toBe('bl_late');
    },
  );

  test.each(['refused', 'throttled', 'unsent', 'unauthorized'] as const)(
    'that is %s writes no part of the removed row',
    async (why) => {
      const ledger = await openLate(true);
      const changed = await ledger.changedBy(async () => {
        await ledger.connection.hset(ledger.keys.account, 'made:company', 3);
        for (let time = 0; time < 3; time += 1) {
          await ledger.connection.hset(ledger.keys.call('company', 'late'), { state: 'claimed', owner: 'a/company' });
          await ledger.calls.release(things.company, 'a/company', why, { status: 400, body: 'no' });
        }
      });
      expect(changed).toEqual([':account', ':call:company:late']);
    },
  );

  // Promise: forget-leaves-no-person
  test.each(['forgetting', 'forgotten'] as const)(
    'keeps no text of the service where its portfolio is %s',
    async (is) => {
      const ledger = await openLate(true);
      const { calls, connection, keys } = ledger;
      await ledger.say(is);
      const record = { status: 'approved', total_limit: '5', besides: '{"contact":"Ann Otto"}', differs: 'Ann Otto' };
      await calls.settle(things.limit, 'a/limit', { id: 'bl_late', record, buyer: 'late' });
      expect(JSON.parse((await connection.hget(keys.call('limit', REFUSED.key), 'record')) ?? '')).toEqual({
        status: 'approved',
        total_limit: '5',
      });
      await calls.doubt(things.company, 'a/company', 'status 500: ask Ann Otto');
      expect(JSON.stringify(await ledger.picture())).not.toContain('Otto');
    },
  );

  test('that was in doubt, is late or was made twice is stored for people to see, and writes no row history', async () => {
    const ledger = await openLate(true);
    const { calls, changedBy } = ledger;
    const changed = await changedBy(async () => {
      await calls.doubt(things.limit, 'a/limit', 'reset');
      await calls.doubt(things.company, 'a/company', 'reset');
      expect(await calls.resolve([things.company], 'late', 'company_7', { by: 'alice', row: CANCELLED })).toBe(
        'resolved',
      );
      await calls.settle(things.limit, 'a/limit', { id: 'bl_11', record: {}, buyer: 'late' });
      await calls.settle(things.limit, 'b/limit', { id: 'bl_12', record: {}, buyer: 'late' });
    });
    expect(changed).toEqual([
      ':account',
      ':buyer:late:limits',
      ':call:company:late',
      `:call:limit:${REFUSED.key}`,
      ':made-twice',
      ':made:company',
      ':made:limit',
    ]);
    expect(await calls.madeTwice()).toMatchObject([{ id: 'bl_11', again: 'bl_12', row: `q4/${REFUSED.key}` }]);
  });

  test('whose claim is asked for again is released and not counted', async () => {
    const ledger = await openLate(true);
    const { calls, changedBy } = ledger;
    const changed = await changedBy(() => calls.claim(things.limit, { owner: 'a/limit', onUnknown: 'resend' }));
    expect(changed).toEqual([`:call:limit:${REFUSED.key}`]);
  });
});
