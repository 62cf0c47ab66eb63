import { appendFile, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { takeInRound } from '../../../jobs/inbox/take-in.ts';
import { makeKeptColumns } from '../../../jobs/operators/upload-decisions.ts';
import { finishPortfolio } from '../../support/finished-portfolio.ts';
import { openInbox } from '../../support/inbox.ts';
import { makeMortal } from '../../support/mortal.ts';
import { buyerLines } from '../../support/workplace.ts';

const HEADER = 'buyer_limit_id,status,total_limit,available_limit,decided_at';
const text = (...lines: string[]) => `${[HEADER, ...lines].join('\n')}\n`;

/** A drop folder beside a portfolio with two limits, `bl_q41` and `bl_q42`. */
async function openDecided() {
  const place = await openInbox();
  await place.import(buyerLines(2), { by: 'alice' });
  await finishPortfolio('q4', place.context);
  const statuses = async () => (await place.context.portfolios.read('q4')).statuses;
  return { ...place, statuses };
}

// Promises: dropped-decisions-problems, decisions-told-once-a-file, notices-have-figures, people-told-of-decisions
test('dropped decisions are applied, their problems are listed beside the file, and a notice is sent', async () => {
  const { drop, takeIn, names, read, told, statuses, context } = await openDecided();
  const lines = text('bl_q41,declined,0,0,', 'bl_q42,approved,9000,1,', 'bl_none,approved,1,1,');
  await drop('november.decisions.csv', lines.replaceAll(',', ';'));
  const { files, lying } = await takeIn();
  expect(files).toMatchObject([
    {
      portfolio: '',
      is: 'imported',
      found: { lines: 3, rows: 2, invalid: 2 },
      words: expect.stringContaining('2 decisions taken'),
    },
  ]);
  expect(lying).toEqual([]);
  expect(await names('done')).toEqual(['<time>-november.decisions.csv', '<time>-november.decisions.problems.csv']);
  expect(await read('done', 'problems.csv')).toBe(
    'line;column;value;problem\n3;;;Warning: The limit bl_q42 is 9,000.00, more than the 1,002.50 that was asked for.\n4;;;Not taken: No call of this account made the limit bl_none.\n',
  );
  expect(await statuses()).toEqual({ declined: 1, approved: 1 });
  expect(told.flatMap(({ notice }) => notice ?? [])).toMatchObject([
    { kind: 'decided', path: '/portfolios/q4' },
    {
      kind: 'inbox',
      title: 'A file of decisions of the drop folder has lines to be looked at: november.decisions.csv.',
    },
  ]);
  const { entries } = await context.audit.read.page({ count: 2, filter: { what: 'decisions taken in' }, walk: 100 });
  expect(entries).toMatchObject([
    { by: expect.stringContaining('drop folder ('), facts: { taken: 2, notTaken: 1 } },
    { facts: { file: 'november.decisions.csv' } },
  ]);
  expect(await context.portfolios.names()).toEqual(['q4']);
});

// Promise: dropped-decisions-rejected
test('a decisions file without a usable line, or that is no such file, is rejected with the reason', async () => {
  const { drop, takeIn, names, read, statuses, inbox } = await openDecided();
  await drop('none.decisions.csv', text('bl_none,approved,1,1,'));
  await drop('buyers.decisions.csv', `${buyerLines(1).join('\n')}\n`);
  await symlink(join(inbox, 'done'), join(inbox, 'link.decisions.csv'));
  await mkdir(join(inbox, 'folder.decisions.csv'));
  await writeFile(join(inbox, 'half.decisions.csv.part'), text('bl_q41,declined,0,0,'));
  const { files } = await takeIn();
  expect(files.map(({ is }) => is)).toEqual(Array(4).fill('rejected'));
  expect(await names('rejected')).toEqual(
    expect.arrayContaining([
      '<time>-none.decisions.csv',
      '<time>-none.decisions.problems.csv',
      '<time>-link.decisions.csv',
    ]),
  );
  expect(await read('rejected', 'buyers.decisions.problems.txt')).toMatch(
    /^buyers.decisions.csv: its columns are not known. It needs a header/,
  );
  expect(await read('rejected', 'none.decisions.problems.txt')).toContain(
    '0 decisions taken, 0 known already, 1 not taken.',
  );
  expect(await statuses()).toEqual({ approved: 2 });
});

// Promise: decision-columns-remembered
test('a dropped file is read with the columns that somebody set for another file with its header', async () => {
  const { drop, takeIn, statuses, context } = await openDecided();
  const header = ['Nummer', 'Ergebnis'];
  const { LIMITLINE_DATA: dataDir } = context.settings;
  const mapped = { map: ['Nummer=buyer_limit_id', 'Ergebnis=status'] };
  await makeKeptColumns({ dataDir }).keep({ header, mapped }, 'fiona');
  await drop('a.decisions.csv', `${header.join(';')}\nbl_q41;declined\n`);
  const { files } = await takeIn();
  expect(files).toMatchObject([{ is: 'imported', words: expect.stringContaining('Columns are read as fiona said') }]);
  expect(await statuses()).toEqual({ declined: 1, approved: 1 });
});

// Promises: dropped-file-taken-once, decisions-told-once-a-file
test('a decisions file whose process is killed at any step is applied once and ends in done', async () => {
  const { inbox, drop, round, source, context, told, statuses } = await openDecided();
  const { drop: folder } = await round();
  for (let moment = 1; ; moment += 1) {
    // These statuses do not resemble each other.
    const status = String(moment).repeat(9);
    const at = new Date().toISOString();
    await drop(`m${moment}.decisions.csv`, text(`bl_q41,${status},,,${at}`, `bl_q42,${status},,,${at}`));
    const { mortal, done, isDead } = makeMortal(moment);
    const deps = await round({
      ...source,
      processId: 'killed',
      inbox: mortal('inbox', source.inbox, ['alone', 'note', 'read', 'forget', 'open']),
      decisions: mortal('decisions', source.decisions, ['decide', 'follow']),
      audit: mortal('audit', source.audit, ['note']),
      outbox: source.outbox && mortal('outbox', source.outbox, ['report']),
    });
    const taken = mortal('taken', deps.taken, ['entries', 'entry', 'begin', 'takeFile', 'putFile', 'putRest']);
    await takeInRound({ ...deps, taken }).catch(() => {});
    await context.ledger.del(context.keys.inboxTaken(folder.id));
    await takeInRound(await round({ ...source, processId: 'next' }));
    const where = `killed behind ${done.at(-1) ?? 'nothing'}, step ${moment}`;
    expect(await statuses(), where).toEqual({ [status]: 2 });
    const ended = (await readdir(join(inbox, 'done'))).filter((one) => one.includes(`-m${moment}.`));
    expect(ended, where).toEqual([expect.stringMatching(/Z-m\d+\.decisions\.csv$/)]);
    expect((await readdir(inbox)).sort(), where).toEqual(['.taken', 'done', 'rejected']);
    // One notice covers both rows, whichever of them was applied before the kill.
    const titles = told.splice(0).flatMap(({ notice }) => (notice?.kind === 'decided' ? notice.title : []));
    expect(titles, where).toEqual([expect.stringContaining('about 2 rows')]);
    if (!isDead()) return expect(new Set(done).size).toBeGreaterThan(10);
  }
});

test('after a kill the notice counts the decisions of the repeated file only, not of an earlier one of its name', async () => {
  const { drop, round, source, context, told, takeIn } = await openDecided();
  const at = new Date().toISOString();
  await drop('bank.decisions.csv', text(`bl_q41,declined,0,0,${at}`));
  const { drop: folder } = await takeIn().then(() => round());
  await drop('bank.decisions.csv', text(`bl_q41,declined,0,0,${at}`, `bl_q42,declined,0,0,${at}`));
  const decide = () => Promise.reject(new Error('killed'));
  const note = async (file: Parameters<typeof source.inbox.note>[0]) => {
    if (file.is !== 'taken') throw new Error('killed');
    return source.inbox.note(file);
  };
  const decisions = { ...source.decisions, decide };
  const deps = await round({ ...source, processId: 'killed', decisions, inbox: { ...source.inbox, note } });
  await takeInRound(deps).catch(() => {});
  await context.ledger.del(context.keys.inboxTaken(folder.id));
  await takeInRound(await round({ ...source, processId: 'next' }));
  const titles = told.flatMap(({ notice }) => (notice?.kind === 'decided' ? notice.title : []));
  expect(titles).toEqual(Array(2).fill(expect.stringContaining('about 1 row of portfolio q4')));
});

test('a decisions file that grows in the folder done is not imported again', async () => {
  const { drop, takeIn, inbox, statuses } = await openDecided();
  await drop('a.decisions.csv', text('bl_q41,in_review,,,'));
  await takeIn();
  await drop('b.decisions.csv', text(`bl_q41,declined,0,0,${new Date().toISOString()}`));
  await takeIn();
  const name = (await readdir(join(inbox, 'done'))).find((one) => one.endsWith('a.decisions.csv')) ?? '';
  await appendFile(join(inbox, 'done', name), 'bl_q42,approved,500,500,\n');
  await takeIn();
  expect(await statuses()).toEqual({ declined: 1, approved: 1 });
});

test('a file with warnings only sends a notice, and an overlong cell is not quoted in its problems', async () => {
  const { drop, takeIn, told, read } = await openDecided();
  await drop('w.decisions.csv', text('bl_q42,approved,9000000,1,', `bl_${'x'.repeat(30_000)},approved,1,1,`));
  const { files } = await takeIn();
  expect(files).toMatchObject([
    { found: { invalid: 2 }, words: expect.stringContaining('1 warning: see the list of problems.') },
  ]);
  expect(told.flatMap(({ notice }) => notice?.title ?? [])).toContainEqual(
    expect.stringMatching(/^A file of decisions of the drop folder has lines/),
  );
  expect((await read('done', 'problems.csv')).length).toBeLessThan(500);
});

// Promise: contradicting-drops-said
test('of two contradicting files without times, the second warns of the first', async () => {
  const { drop, takeIn, read, statuses } = await openDecided();
  await drop('a.decisions.csv', text('bl_q41,declined,0,0,', 'bl_q42,approved,1,1,'));
  await drop('b.decisions.csv', text('bl_q41,frozen,1,1,', 'bl_q42,approved,1,1,'));
  // The first file has a warning as well, because it lowers a granted limit.
  expect((await takeIn()).files).toMatchObject([{ found: { invalid: 1 } }, { found: { invalid: 1 } }]);
  const warnings = await read('done', 'b.decisions.problems.csv');
  expect(warnings).toContain(
    'Warning: a.decisions.csv said something else of bl_q41 less than an hour ago. b.decisions.csv',
  );
  expect(await statuses()).toEqual({ frozen: 1, approved: 1 });
});

// Promise: mistyped-status-not-taken
test('a dropped status that may be mistyped is not applied until its meaning is set', async () => {
  const { drop, takeIn, read, statuses, context } = await openDecided();
  const lines = text('bl_q41,aproved,1,1,', 'bl_q42,Aproved,1,1,');
  await drop('typo.decisions.csv', lines);
  expect((await takeIn()).files).toMatchObject([{ is: 'rejected', found: { invalid: 2 } }]);
  const listed = await read('rejected', 'typo.decisions.problems.csv');
  expect(listed).toContain(
    '2,,,"Not taken: No row had ""aproved"" before. Did you mean ""approved""? If it is right, say first what it means',
  );
  expect(listed).toContain('3,,,"Not taken: No row had ""Aproved"" before.');
  expect(await statuses()).toEqual({ approved: 2 });
  for (const status of ['aproved', 'Aproved']) await context.statusMeanings.set(status, 'approved');
  await drop('typo.decisions.csv', lines);
  expect((await takeIn()).files).toMatchObject([{ is: 'imported', found: { rows: 2 } }]);
  expect(await statuses()).toEqual({ aproved: 1, Aproved: 1 });
});

// Promise: same-time-taken-first-stays
test('a dropped file with two timed decisions on one limit gives the same result when it is imported again', async () => {
  const { drop, takeIn, statuses } = await openDecided();
  const times = [1, 2].map((ms) => new Date(Date.now() + ms).toISOString());
  const lines = text(`bl_q41,declined,0,0,${times[0]}`, `bl_q41,approved,1,1,${times[1]}`);
  for (const _ of times) {
    await drop('a.decisions.csv', lines);
    expect((await takeIn()).files).toMatchObject([{ is: 'imported', found: { lines: 2, invalid: 0 } }]);
    expect(await statuses()).toMatchObject({ approved: 2 });
  }
});

// Promise: dropped-decisions-rejected
test('a file with only a header is rejected with a reason', async () => {
  const { drop, takeIn, read } = await openDecided();
  await drop('none.decisions.csv', `${HEADER}\n`);
  expect((await takeIn()).files).toMatchObject([{ is: 'rejected' }]);
  expect(await read('rejected', 'problems.txt')).toBe(
    'none.decisions.csv: The file has a header and no line, so there is nothing to take.\n',
  );
});

test('the reason for unknown headers explains how to set columns, and suggests no kept mapping', async () => {
  const { drop, takeIn, read } = await openDecided();
  await drop('own.decisions.csv', 'Nummer;Ergebnis\nbl_q41;rejected\n');
  expect((await takeIn()).files).toMatchObject([{ is: 'rejected' }]);
  const words = await read('rejected', 'problems.txt');
  expect(words).toContain(
    'rename a column and drop the file again. Or say once which column is what, at Upload decisions on the page of a portfolio, or by npx limitline decisions FILE --map "HEADER=buyer_limit_id" --map "HEADER=status": files with the same header are read so from then on.',
  );
  expect(words).not.toContain('mapping keep');
});
