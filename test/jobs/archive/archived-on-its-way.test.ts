import { expect, onTestFinished, test, vi } from 'vitest';
import { archivePortfolio } from '../../../jobs/archive/archive-portfolio.ts';
import { startWorkers } from '../../../jobs/workers/workers.ts';
import type { ArchiveStateName } from '../../../src/ledger/schema/archives.ts';
import { openService } from '../../../src/open-service.ts';
import { openInbox } from '../../support/inbox.ts';
import { openRefused } from '../../support/retried-rows.ts';
import { expectStates, openSessionPlace } from '../../support/session-file.ts';
import { buyerLines, exportedText, openWorkplace } from '../../support/workplace.ts';

const stateText = (is: ArchiveStateName) =>
  JSON.stringify({ is, id: 'an-archive', by: 'alice', sinceMs: 1, startedMs: 1, finishedMs: 2 });

test('a dropped file waits while its portfolio is being restored, and is rejected if that is archived', async () => {
  const { drop, takeIn, names, read, context } = await openInbox();
  const { ledger, keys } = context;
  await ledger.hset(keys.portfolio('q4'), { started: 1, archive: stateText('restoring') });
  await drop('q4.csv', buyerLines(1).join('\n'));
  const [lying] = (await takeIn()).lying;
  expect(lying).toMatchObject({ name: 'q4.csv', why: expect.stringContaining('q4 is being restored') });
  await ledger.hset(keys.portfolio('q4'), 'archive', stateText('archived'));
  expect((await takeIn()).files).toMatchObject([{ is: 'rejected', name: 'q4.csv' }]);
  expect((await names('rejected')).some((name) => name.endsWith('.txt'))).toBe(true);
  expect(await read('rejected', 'q4.problems.txt')).toContain('npx limitline restore "q4" brings its rows back');
  expect((await ledger.hkeys(keys.portfolio('q4'))).sort()).toEqual(['archive', 'started']);
});

test('rules retry no rows of a portfolio that is being archived', async () => {
  const place = await openRefused(2);
  const { context } = place;
  await place.refuseAll();
  await place.rule({ nights: 2 });
  await context.ledger.hset(context.keys.portfolio('q4'), 'archive', stateText('archiving'));
  expect((await place.night(0)).words).toBe('By the rules, no rejected row is due to be sent again.');
  await context.ledger.hdel(context.keys.portfolio('q4'), 'archive');
  expect((await place.night(0)).words).toBe('2 rows go again.');
});

test('exporting results throws if the rows leave Redis meanwhile', async () => {
  const { context, import: bring } = await openWorkplace();
  await bring(buyerLines(2));
  const { portfolios, ledger, keys } = context;
  const becoming = (is: ArchiveStateName) => ({
    ...context,
    portfolios: {
      ...portfolios,
      // This is the first read of the export.
      async allImports(name: string) {
        const found = await portfolios.allImports(name);
        await ledger.hset(keys.portfolio(name), 'archive', stateText(is));
        return found;
      },
    },
  });
  for (const is of ['leaving', 'archived', 'restoring', 'forgetting'] as const) {
    await expect(exportedText(becoming(is)), is).rejects.toMatchObject({ code: 'USAGE' });
  }
  expect((await exportedText(becoming('archiving'))).split('\n').length).toBe(4);
});

test('a requested session waits while its portfolio is being archived, and is sent if that fails', async () => {
  const place = await openSessionPlace(1);
  const { calls } = place.context;
  await place.workers.stop();
  await place.ask();
  const [wish] = await calls.sessions.waiting();
  if (!wish) throw new Error('no session waits');
  let claimed: unknown;
  let permits: number | undefined;
  const service = openService(place.context, place.standIn.url());
  const taken = vi.spyOn(service.pace, 'take');
  const read = vi.spyOn(place.context.portfolios, 'read');
  const archiving = archivePortfolio(place.context, 'q4', {
    by: 'alice',
    signal: new AbortController().signal,
    onProgress: async ({ step }) => {
      if (step !== 'writing') return;
      const session = { kind: 'session', ...wish, revision: '*' } as const;
      claimed = await calls.claim(session, { owner: 'w1/1', onUnknown: 'hold' });
      const workers = await startWorkers(place.context, service);
      onTestFinished(() => workers.stop());
      read.mockClear();
      // Each look of the worker at waiting sessions reads the portfolio.
      await expect.poll(() => read.mock.calls.length, { timeout: 60_000 }).toBeGreaterThan(4);
      permits = taken.mock.calls.length;
      throw new Error('no space left on device');
    },
  });
  await expect(archiving).rejects.toThrow('no space left');
  expect(claimed).toEqual({ is: 'paused' });
  expect(permits).toBe(0);
  await expectStates(place, [['made']]);
});
