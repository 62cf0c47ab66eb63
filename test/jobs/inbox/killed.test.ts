import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { InboxSource } from '../../../jobs/inbox/inbox-deps.ts';
import { takeInRound } from '../../../jobs/inbox/take-in.ts';
import { openInbox } from '../../support/inbox.ts';
import { makeMortal } from '../../support/mortal.ts';

/** Two good lines, one with a document, and an invalid line. No two portfolios have a buyer in common. */
const linesOf = (name: string) =>
  [
    'name,country_code,company_registration_number,requested_limit,supporting_documents',
    `${name} One GmbH,DE,HRB 1${name},1000.50,accounts.pdf`,
    `${name} Two GmbH,DE,HRB 2${name},1001.50,`,
    `${name} Three GmbH,DE,HRB 3${name},none,`,
    '',
  ].join('\n');

const PDF = '%PDF-1.4\n% nothing\n';

// Promise: dropped-file-taken-once
test('a file whose process is killed at any step is neither lost nor imported twice', async () => {
  const { inbox, drop, round, source, context, told } = await openInbox();
  const { drop: folder } = await round();

  /** Imports in a process that is killed before this step. Returns the steps, and whether it was killed. */
  const takeMortally = async (diesBefore: number) => {
    const { mortal, done, isDead } = makeMortal(diesBefore);
    const deps = await round({
      ...source,
      processId: 'killed',
      inbox: mortal('inbox', source.inbox, ['alone', 'note', 'read', 'forget', 'imported', 'open']),
      imports: mortal('imports', source.imports, ['put']),
      documents: mortal('documents', source.documents, ['put']),
      portfolios: mortal('portfolios', source.portfolios, ['startImport', 'allImports']),
      rows: mortal('rows', source.rows, ['put']),
      audit: mortal('audit', source.audit, ['note']),
      outbox: source.outbox && mortal('outbox', source.outbox, ['report']),
    });
    const taken = mortal('taken', deps.taken, [
      'entries',
      'entry',
      'begin',
      'takeFile',
      'takeBeside',
      'putFile',
      'putRest',
      'whereIs',
    ]);
    await takeInRound({ ...deps, taken }).catch(() => {});
    return { done, isKilled: isDead() };
  };
  const takeAfter = async (from: InboxSource) => {
    // The lock of the killed process has expired.
    await context.ledger.del(context.keys.inboxTaken(folder.id));
    return takeInRound(await round({ ...from, processId: 'next' }));
  };

  for (let moment = 1; ; moment += 1) {
    const name = `m${moment}`;
    await drop(`${name}.csv`, linesOf(name));
    await drop(`${name}/accounts.pdf`, PDF);
    const { done, isKilled } = await takeMortally(moment);
    await takeAfter(source);
    const where = `killed behind ${done.at(-1) ?? 'nothing'}, step ${moment}`;
    const { states, invalid } = await context.portfolios.read(name);
    expect([states.queued, invalid], where).toEqual([2, 1]);
    expect(await context.portfolios.allImports(name), where).toMatchObject([
      {
        fileName: `${name}.csv`,
        by: expect.stringContaining('drop folder ('),
        found: { lines: 3, rows: 2, invalid: 1, duplicate: 0 },
      },
    ]);
    const ended = (await readdir(join(inbox, 'done'))).filter((one) => one.includes(`-${name}`));
    expect(ended.map((one) => one.replace(/^\w+Z-/, '')).sort(), where).toEqual([
      name,
      `${name}.csv`,
      `${name}.problems.csv`,
    ]);
    expect(await readdir(join(inbox, 'done', ended[0] ?? '')), where).toEqual(['accounts.pdf']);
    expect((await readdir(inbox)).sort(), where).toEqual(['.taken', 'done', 'rejected']);
    const noted = (await context.inbox.lately(1_000)).filter((file) => file.portfolio === name);
    expect(noted, where).toMatchObject([{ is: 'imported', name: `${name}.csv` }]);
    expect(
      new Set(told.filter(({ notice }) => notice?.facts[0]?.what === `${name}.csv`).map(({ state }) => state)).size,
      where,
    ).toBe(1);
    if (!isKilled) {
      // So many different steps show that the wrapped functions are used.
      expect(new Set(done).size).toBeGreaterThan(15);
      return;
    }
  }
});

// Promise: dropped-file-taken-once
test('a delayed process does not overwrite the result of another that finished its file', async () => {
  const { drop, takeIn, source, context, report } = await openInbox();
  await drop('q4.csv', linesOf('q4'));
  let isHeldUp = false;
  const note: typeof source.inbox.note = async (file) => {
    if (file.content !== undefined && !isHeldUp) {
      isHeldUp = true;
      await context.ledger.del(context.keys.inboxTaken(file.folder));
      await takeIn();
    }
    await source.inbox.note(file);
  };
  // On a slow machine, the delayed process may notice the takeover before its end.
  await takeIn(undefined, { ...source, inbox: { ...source.inbox, note } }).catch((error) => {
    expect(error).toMatchObject({ message: 'Another process has taken over the drop folder.' });
  });
  expect(await source.inbox.lately(2)).toMatchObject([{ name: 'q4.csv', is: 'imported', found: { rows: 1 } }]);
  expect(await source.inbox.open()).toHaveLength(1);
  expect(await report()).toMatchObject({ rows: 1 });
});
