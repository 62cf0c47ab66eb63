import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDecisionsDesk } from '../../../jobs/operators/upload-decisions.ts';
import { sha256Of } from '../../../src/files/disk.ts';
import { openConsole, openDesk } from '../../support/desk.ts';
import { later, openReview, UNDER_REVIEW } from '../../support/under-review.ts';

// Promises: decision-in-each-portfolio, decisions-before-and-after, audit-proves-the-file
test('a file of decisions changes outcomes, sums and results, and sends no call', async () => {
  const { ids, names, decide, outcomes, limitline, json, standIn, cwd } = await openReview(4, [UNDER_REVIEW]);
  expect(await outcomes()).toMatchObject({ under_review: { rows: 4, granted: '0.00' }, approved: { rows: 0 } });
  const { made } = standIn.counts();
  const said = [
    `${ids[0]},,approved,1001.5,1001.5,${later(2)}`,
    `,${names[1]},approved,500,400,${later(2)}`,
    `${ids[2]},${names[2]},rejected,,,${later(2).slice(0, 10)}`,
    `${ids[3]},,,,,`,
  ];
  const dry = await decide(said, '--dry-run');
  expect(dry).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('3 decisions would be taken (2 approved, 1 rejected)'),
  });
  const changes =
    'Granted of these requests: 0.00 before, 1,501.50 afterwards.\n1 line decides nothing.\nBuyer 1 GmbH, 1,001.50 requested: in_progress → approved, granted none → 1,001.50\nBuyer 2 GmbH, 1,002.50 requested: in_progress → approved, granted none → 500.00\nBuyer 3 GmbH, 1,003.50 requested: in_progress → rejected, granted none → none\n';
  expect(dry.stdout).toContain(changes);
  expect(await outcomes()).toMatchObject({ under_review: { rows: 4 } });

  const taken = await decide(said);
  expect(taken.stdout).toBe(
    `later.csv: 3 decisions taken (2 approved, 1 rejected) for 3 rows, 0 known already, 0 not taken.\n${changes}`,
  );
  expect(taken.status).toBe(0);
  expect(await outcomes()).toMatchObject({
    approved: { rows: 1, requested: '1001.50', granted: '1001.50' },
    partly_approved: { rows: 1, granted: '500.00' },
    declined: { rows: 1, granted: '0.00' },
    under_review: { rows: 1 },
  });
  expect(await json('report', 'q4')).toMatchObject({
    granted: '1501.50',
    available: '1401.50',
    statuses: { approved: 2, in_progress: 1, rejected: 1 },
  });
  expect((await limitline('report', 'q4', '--format', 'csv')).stdout).toMatch(
    /,done,[^\n]*,approved,500,400,[^\n]*,partly_approved/,
  );
  expect(standIn.counts().made).toEqual(made);
  // The nightly check has only findings for finance.
  expect((await limitline('reconcile')).stdout).toContain('3 findings, all for finance.');
  // Another portfolio with the same requests shows the decisions.
  await limitline('import', 'q4.csv', '--portfolio', 'again');
  expect((await json('report', 'again')).outcomes).toMatchObject({ requested_before: { rows: 4, granted: '1501.50' } });
  const { entries } = await json('audit', 'list', '--what', 'decisions taken in');
  expect(entries.slice(0, 2)).toMatchObject([
    { is: 'begun', facts: { file: 'later.csv' } },
    { is: 'done', facts: { sha256: await sha256Of(join(cwd, 'later.csv')), taken: 3, rows: 3, portfolios: 'q4' } },
  ]);
  // The decisions are found by the portfolio whose rows they changed.
  const { entries: about } = await json('audit', 'list', '--about', 'q4', '--what', 'decisions taken in');
  expect(about).toMatchObject([{ is: 'done', facts: { taken: 3 } }]);
  const imports = await json('audit', 'list', '--what', 'file imported');
  const sha256 = await sha256Of(join(cwd, 'q4.csv'));
  expect(imports.entries.at(-1)).toMatchObject({ is: 'done', about: 'again', facts: { sha256 } });
});

// Promises: decisions-not-taken-named, latest-decision-counts, same-time-taken-first-stays
test('the latest decision counts in any order of lines and files, and a file may be imported twice', async () => {
  const { ids, decide, outcomes } = await openReview(3);
  const [second, third] = [later(2), later(3)];
  const first = [
    `${ids[0]},,approved,1001.5,0,${third}`,
    `${ids[0]},,rejected,,,${second}`,
    `${ids[1]},,approved,1002.5,0,${third}`,
  ];
  expect((await decide(first)).stdout).toContain('3 decisions taken');
  expect(await outcomes()).toMatchObject({ approved: { rows: 2 }, under_review: { rows: 1 } });
  const again = await decide(first);
  expect(again.stdout).toContain('0 decisions taken, 3 known already, 0 not taken.');
  expect(again.status).toBe(0);
  const other = await decide([`${ids[1]},,rejected,,,${third}`]);
  expect(other).toMatchObject({
    status: 2,
    stdout: expect.stringContaining(
      `of the same time, ${third}, is known, approved of later.csv, and that one stays. If this decision counts, give it a later decided_at.`,
    ),
  });
  // A repeated decision with a later time counts as the later one.
  await decide([`${ids[1]},,approved,1002.5,0,${later(5)}`]);
  expect((await decide([`${ids[1]},,rejected,,,${later(4)}`])).status).toBe(2);
  expect(await outcomes()).toMatchObject({ approved: { rows: 2 }, under_review: { rows: 1 } });
});

// Promises: decisions-not-taken-named, lowered-approval-warned, same-time-taken-first-stays
test('unreadable and contradictory decisions are reported by line, and the others are imported', async () => {
  const { ids, names, decide, json } = await openReview(3);
  const second = later(2);
  const said = [
    `${ids[0]},,approved,5000,5000,`,
    'bl_nobody,,approved,1,1,',
    `${ids[1]},${names[0]},approved,1,1,`,
    `,q4/nobody,approved,1,1,`,
    `${ids[2]},,approved,1,1,${second}`,
    `${ids[2]},,rejected,,,${second}`,
    `${ids[1]},,approved,1.234,,`,
  ];
  const { status, stdout } = await decide(said, '--json');
  expect(status).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({
    taken: 1,
    warnings: [{ at: 2, message: `The limit ${ids[0]} is 5,000.00, more than the 1,001.50 that was asked for.` }],
    problems: [
      { at: 3, message: 'No call of this account made the limit bl_nobody.' },
      { at: 4, message: `The limit of row ${names[0]} is ${ids[0]}, and not ${ids[1]}.` },
      { at: 5, message: expect.stringContaining('This account has no row q4/nobody.') },
      {
        at: 6,
        message: `Line 7 says something else of ${ids[2]} at the same time: neither is taken. Leave one of them out, or give the one that counts a later decided_at.`,
      },
      {
        at: 7,
        message: `Line 6 says something else of ${ids[2]} at the same time: neither is taken. Leave one of them out, or give the one that counts a later decided_at.`,
      },
      { at: 8, message: expect.stringContaining('--decimal') },
    ],
  });
  expect(await json('report', 'q4')).toMatchObject({ statuses: { approved: 1, in_progress: 2 } });
});

// Promise: archived-row-follows-later
test('a decision about an archived row is kept, and applied when the portfolio is restored', async () => {
  const { ids, decide, limitline, json, outcomes } = await openReview(1);
  await limitline('import', 'q4.csv', '--portfolio', 'again');
  await limitline('archive', 'q4', '--yes');
  const said = [`${ids[0]},,approved,1001.5,1001.5,${later(2)}`];
  const taken = await decide(said, '--json');
  expect(taken.status).toBe(2);
  expect(JSON.parse(taken.stdout)).toMatchObject({
    taken: 1,
    rows: 1,
    left: 1,
    warnings: expect.arrayContaining([
      { at: 2, message: expect.stringMatching(/npx limitline restore "q4".*The row follows by itself then/) },
    ]),
  });
  expect((await json('report', 'again')).outcomes).toMatchObject({ requested_before: { granted: '1001.50' } });
  await limitline('restore', 'q4');
  expect(await outcomes()).toMatchObject({ approved: { rows: 1, granted: '1001.50' } });
  // An older decision does not change the restored row either.
  expect((await decide([`${ids[0]},,rejected,,,${later(1)}`])).status).toBe(2);
  expect(await outcomes()).toMatchObject({ approved: { rows: 1, granted: '1001.50' } });
  expect((await decide(said)).stdout).toContain('0 decisions taken, 1 known already, 0 not taken.');
});

// Promise: decision-in-each-portfolio
test('a decision is imported when the portfolio that made the limit was forgotten', async () => {
  const { ids, decide, limitline, json } = await openReview(1);
  await limitline('import', 'q4.csv', '--portfolio', 'again');
  await limitline('forget', 'q4', '--yes', 'q4');
  expect(await decide([`${ids[0]},,approved,1001.5,1001.5,${later(2)}`])).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('1 decision taken (1 approved) for 1 row'),
  });
  expect((await json('report', 'again')).outcomes).toMatchObject({ requested_before: { granted: '1001.50' } });
});

// Promise: decision-in-each-portfolio
test('two files that decide differently for one day at the same time give all portfolios the same decision', async () => {
  const { ids, cwd, limitline, json, outcomes } = await openReview(1);
  await limitline('import', 'q4.csv', '--portfolio', 'again');
  const day = later(-24 * 60).slice(0, 10);
  const files = ['approved,1001.5,1001.5', 'rejected,,'].map(async (said, place) => {
    const header = 'buyer_limit_id,status,total_limit,available_limit,decided_at';
    await writeFile(join(cwd, `later-${place}.csv`), `${header}\n${ids[0]},${said},${day}\n`);
    return limitline('decisions', `later-${place}.csv`);
  });
  expect((await Promise.all(files)).map(({ status }) => status).sort()).toEqual([0, 2]);
  const { approved } = await outcomes();
  const { requested_before: before } = (await json('report', 'again')).outcomes;
  expect(before.granted).toBe(approved.granted);
});

test('an available amount above the total is imported with a warning', async () => {
  const { ids, decide } = await openReview(1);
  const { status, stdout } = await decide([`${ids[0]},,approved,100,500,`]);
  expect(stdout).toContain(`More of the limit ${ids[0]} is available than its total: 500.00 of 100.00.`);
  expect(status).toBe(0);
});

// Promise: decision-columns-named
test('--map reads columns with other headers, and is remembered for later files with this header', async () => {
  const { ids, cwd, limitline, outcomes } = await openReview(1);
  await writeFile(join(cwd, 'words.csv'), `Nummer;Ergebnis\n${ids[0]};rejected\n`);
  expect((await limitline('decisions', 'words.csv')).status).toBe(1);
  const mapped = ['--map', 'Nummer=buyer_limit_id', '--map', 'Ergebnis=status'];
  await limitline('decisions', 'words.csv', ...mapped, '--dry-run');
  expect((await limitline('decisions', 'words.csv')).status).toBe(1);
  expect((await limitline('decisions', 'words.csv', ...mapped)).status).toBe(0);
  expect(await outcomes()).toMatchObject({ declined: { rows: 1 } });
  // The mapping is kept for files with this header.
  expect((await limitline('decisions', 'words.csv')).stdout).toContain(
    `said of such a file: Nummer=buyer_limit_id, Ergebnis=status.`,
  );
});

// Promises: granted-only-where-approved, known-total-stays
test('a file without amount columns keeps the known total, and the summary explains it', async () => {
  const { ids, cwd, decide, json, limitline, outcomes } = await openReview(1);
  await decide([`${ids[0]},,approved,1001.5,1001.5,${later(-2)}`]);
  await writeFile(join(cwd, 'short.csv'), `buyer_limit_id,status\n${ids[0]},constructor\n`);
  const { stdout } = await limitline('decisions', 'short.csv');
  expect(stdout).toContain(
    'The file has no column total_limit: the amounts that are known stay.\nThe file has no column available_limit: the available amount of a limit is no longer known once the file says something new about it.\n',
  );
  expect(stdout).toContain('1 decision taken (1 constructor) for 1 row');
  expect(await outcomes()).toMatchObject({ answered: { rows: 1, granted: '0.00' } });
  // Without a meaning "approved", the amounts stay with the row and count as not granted.
  expect(await json('report', 'q4')).toMatchObject({ granted: '0.00', available: '0.00' });
  expect((await limitline('report', 'q4', '--format', 'csv')).stdout).toContain(',constructor,1001.5,,');
  await limitline('statuses', 'constructor', '--means', 'approved');
  expect(await json('report', 'q4')).toMatchObject({ granted: '1001.50', available: '0.00', withoutAvailable: 1 });
  expect((await limitline('report', 'q4')).stdout).toContain(
    'Of what was granted it is not known what is available.\n',
  );
});

// Promise: unexplained-statuses-named
test('a decision about a row without a limit is refused with the state of the row, and an unknown status is reported', async () => {
  const rules = [
    { on: 'limit' as const, match: 'HRB 1', fault: 'status' as const, status: 422, body: { message: 'no' } },
    { on: 'limit' as const, match: 'HRB 2', fault: 'reset' as const, by: 'rst' as const },
    UNDER_REVIEW,
  ];
  const { ids, names, decide } = await openReview(3, rules);
  const said = [`,${names[0]},approved,1,1,`, `,${names[1]},approved,1,1,`, `${ids[2]},,aproved,1,1,`];
  const { stdout } = await decide(said);
  expect(stdout).toContain(`line 2, not taken: Row ${names[0]} has no limit: the service said no.\n`);
  expect(stdout).toContain(
    `line 3, not taken: Row ${names[1]} has no limit: outcome unknown: a person must find out.\n`,
  );
  expect(stdout).toContain('\nNobody has said what "aproved" means: say it on');
});

// Promise: people-told-of-decisions
test('a notice is sent once for each file, with the rows that changed, by outcome', async () => {
  const { ids, decide, json } = await openReview(3, [UNDER_REVIEW]);
  const said = [
    `${ids[0]},,approved,1001.5,1001.5,${later(2)}`,
    `${ids[1]},,approved,0,0,${later(2)}`,
    `${ids[2]},,in_progress,,,${later(2)}`,
  ];
  await decide(said, '--dry-run');
  await decide(said);
  await decide(said);
  const title = 'The service decided about 3 rows of portfolio q4: 1 approved, 1 declined, 1 under review';
  expect((await json('notices')).notices).toMatchObject([
    { notice: { kind: 'decided', title, path: '/portfolios/q4', facts: [{}, {}, {}] } },
  ]);
});

test('another account refuses decisions about limits that it did not request', async () => {
  const { ids, decide, env } = await openReview(1);
  Object.assign(env, { SERVICE_ACCOUNT: 'another' });
  expect((await decide([`${ids[0]},,approved,1,1,`])).stdout).toContain('No call of this account made the limit');
});

test('a dry run applies several lines about one limit in turn, as the import does', async () => {
  const { ids, decide } = await openReview(1);
  const said = [
    `${ids[0]},,rejected,,,${later(-1)}`,
    `${ids[0]},,in_progress,,,`,
    `${ids[0]},,in_progress,,,${later(1)}`,
  ];
  const [dry, real] = [await decide(said, '--dry-run'), await decide(said)];
  expect(dry.stdout).toContain('2 decisions would be taken (1 rejected, 1 in_progress), 1 known already');
  expect(real.stdout).toContain('2 decisions taken (1 rejected, 1 in_progress) for 1 row, 1 known already');
});

test('a cancelled row with the same request neither waits for a decision nor counts an upload as its own', async () => {
  const desk = await openDesk(1, { rules: [UNDER_REVIEW] });
  const { limitline, read, cwd, json } = desk;
  await writeFile(join(cwd, 'given-up.csv'), await read('q4.csv'));
  await limitline('import', 'given-up.csv', '--yes');
  expect((await limitline('cancel', 'given-up')).status).toBe(0);
  await limitline('run', 'q4.csv', '--no-results');
  expect(await json('report', 'given-up')).toMatchObject({ states: { cancelled: 1 } });
  const id = desk.standIn.things('limit')[0]?.id;
  await writeFile(join(cwd, 'later.csv'), `buyer_limit_id,status\n${id},rejected\n`);
  const web = await openConsole(desk);
  const desks = makeDecisionsDesk(web.context);
  const content = Buffer.from(await read('later.csv'));
  const shown = await desks.look('given-up', { fileName: 'later.csv', content, reading: {} }, 'fiona');
  expect(shown).toMatchObject({
    taken: 0,
    problems: [{ message: expect.stringContaining('is of no row of portfolio') }],
  });
  expect(await limitline('decisions', 'later.csv')).toMatchObject({ status: 0 });
});
