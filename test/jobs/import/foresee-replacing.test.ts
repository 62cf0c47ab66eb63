import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import { dryRunWords } from '../../../scripts/look/dry-run.ts';
import type { Problem } from '../../../src/portfolio/problem.ts';
import { acme, checkedFile, HEADER, openCorrections, openWorkplace, zinc } from '../../support/workplace.ts';

// Promise: check-names-every-problem
test.each<[string, string[], string[], number[], 'given up'?]>([
  ['nothing', [acme(1)], [acme(2)], []],
  ['a buyer with two rows', [acme(1), acme(2), zinc(1)], [acme(3), zinc(2)], [2]],
  ['two lines for one row', [acme(1)], [acme(2), zinc(1), acme(3), acme(4)], [4, 5]],
  ['known lines, or with a reference', [acme(1), acme(2)], [acme(2), acme(1), acme(3), acme(4, 'R')], []],
  ['one of two in the file', [acme(1), acme(2)], [acme(3), acme(1)], []],
  ['a cancelled row is imported again', [acme(1), acme(2)], [acme(1), acme(3), zinc(1)], [], 'given up'],
])('check foresees which corrections an import refuses, before it and on a repeated import: %s', async (...row) => {
  const [, before, lines, refused, isGivenUp] = row;
  const place = await openWorkplace();
  await place.import([HEADER, ...before]);
  if (isGivenUp) await cancelRows({ portfolio: 'q4' }, place.context);
  const path = join(place.dir, 'mended.csv');
  await writeFile(path, `${[HEADER, ...lines].join('\n')}\n`);
  const foreseen = async () => (await checkedFile({ path }, place.context)).invalid;
  expect(await foreseen()).toEqual(refused);
  const imported = await place.importFile(path);
  expect([...new Set(imported.problems.map(({ line }) => line))]).toEqual(refused);
  expect(await foreseen()).toEqual(refused);
});

// Promise: second-limit-warned
test('check and import warn alike of a second limit for a buyer, and not for skipped requests', async () => {
  const place = await openWorkplace();
  await place.import([HEADER, acme(1, 'A'), zinc(5)]);
  await place.work();
  await place.settled();
  const path = join(place.dir, 'more.csv');
  await writeFile(path, `${[HEADER, acme(2, 'B'), zinc(5), zinc(7), acme(1, 'A'), 'Tin AG,DE,HRB 3,,9'].join('\n')}\n`);
  const foresee = () => checkedFile({ path }, place.context);
  const { warnings, limits, besides } = await foresee();
  expect({ limits, besides }).toEqual({ limits: 3, besides: { limits: 2, requested: '9' } });
  const isOther = ({ message }: Problem) => message.startsWith('The same buyer has another request');
  const imported = await place.importFile(path);
  expect(warnings.filter(isOther).map(({ line }) => line)).toEqual([2, 4]);
  // During the import, the line that both files contain already belongs to the newer file.
  const told = warnings.map((one) => ({
    ...one,
    message: one.message.replace('line 3 of q4.csv #1', 'line 3 of more.csv #2'),
  }));
  expect(imported.warnings.filter(isOther)).toEqual(told.filter(isOther));
  // Several files of the portfolio may have a line 2.
  expect(warnings.find(isOther)?.message).toMatch(/, line 2 of q4\.csv #1 in portfolio q4 \(1, done\): /);
  await place.settled();
  // By now all limits are made, and nothing more is requested.
  expect(await foresee()).toMatchObject({ limits: 0, besides: { limits: 0 } });
  expect((await place.importFile(path)).warnings.filter(isOther)).toEqual([]);
});

// Promise: second-limit-warned
test('check and import warn alike of a second limit for a buyer within one new file', async () => {
  const place = await openWorkplace();
  const path = join(place.dir, 'new.csv');
  await writeFile(path, `${[HEADER, acme(1, 'A'), zinc(5), acme(2, 'B'), acme(3)].join('\n')}\n`);
  const checked = await checkedFile({ path }, place.context);
  const { warnings } = checked;
  const isOther = ({ message }: Problem) => message.startsWith('The same buyer has another request');
  expect(warnings.filter(isOther).map(({ line }) => line)).toEqual([4, 5]);
  expect(warnings.find(isOther)?.message).toContain('line 2 of this file: this limit is requested as well');
  expect(checked).toMatchObject({ limits: 4, besides: { limits: 2, requested: '5' } });
  const imported = await place.importFile(path);
  expect(imported.warnings.filter(isOther).map(({ line }) => line)).toEqual([4, 5]);
});

test('check counts the limits whose buyers may be known under another identifier', async () => {
  const place = await openWorkplace();
  await place.import([HEADER, acme(1), zinc(5)]);
  const path = join(place.dir, 'bare.csv');
  await writeFile(path, 'name,requested_limit\nAcme AG,2\nZinc AG,5\nTin AG,9\n');
  const checked = await checkedFile({ path, portfolio: 'q5' }, place.context);
  expect(checked).toMatchObject({ limits: 3, besides: { limits: 0 }, alike: 2 });
  expect(dryRunWords(checked)).toContain(
    ' 2 of these limits are for buyers that may be known under another identifier.',
  );
});

// Promise: second-limit-warned
test('a line with another amount for a buyer refused elsewhere gets a warning that names that limit', async () => {
  const place = await openCorrections('"requested_limit":900');
  await place.importLines(acme(900));
  await place.work();
  expect((await place.settled()).states).toMatchObject({ refused: 1 });
  const { warnings } = await place.import([HEADER, acme(1)], { portfolio: 'q5' });
  expect(warnings.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^The same buyer has another request, line 2 of q4\.csv #1 in portfolio q4 \(900, refused\)/),
  );
});

// Promise: second-limit-warned
test('check and import warn of the same amount for one buyer under another request_reference, or none', async () => {
  const place = await openWorkplace();
  await place.import([HEADER, acme(1, 'A')]);
  const path = join(place.dir, 'more.csv');
  await writeFile(path, `${[HEADER, acme(1), acme(1, 'B'), zinc(5)].join('\n')}\n`);
  const checked = await checkedFile({ path, portfolio: 'q5' }, place.context);
  expect(checked).toMatchObject({ limits: 3, besides: { limits: 2, requested: '2' } });
  const { warnings } = await place.importFile(path, {}, { portfolio: 'q5' });
  const isOther = ({ message }: Problem) => message.startsWith('The same buyer has another request of the same amount');
  expect(warnings.filter(isOther).map(({ line }) => line)).toEqual([2, 3]);
  expect(warnings.find(isOther)?.message).toBe(
    'The same buyer has another request of the same amount, with another request_reference or none, line 2 of q4.csv #1 in portfolio q4 (1, queued): this limit is requested as well.',
  );
});

// Promise: check-counts-the-import
test('check and import report that a request waits for approval in another portfolio, and count it once', async () => {
  const place = await openWorkplace({ env: { APPROVE_ALWAYS: 'on' } });
  await place.import([HEADER, acme(1), zinc(5)]);
  const path = join(place.dir, 'again.csv');
  await writeFile(path, `${[HEADER, acme(1), zinc(7)].join('\n')}\n`);
  const checked = await checkedFile({ path, portfolio: 'q5' }, place.context);
  const warnings = checked.warnings.map(({ message }) => message);
  expect(warnings).toEqual([
    'This request waits for an approval already, line 2 of q4.csv #1 in portfolio q4 (1, awaiting): it is requested once, by whichever goes first.',
    'The same buyer has another request, line 3 of q4.csv #1 in portfolio q4 (5, awaiting): this limit is requested as well.',
  ]);
  expect(dryRunWords(checked)).toContain(
    ' 1 of these limits waits already. 1 of these limits is for a buyer that has another',
  );
  const imported = await place.import([HEADER, acme(1), zinc(7)], { portfolio: 'q5' });
  expect(imported.warnings.map(({ message }) => message)).toEqual(expect.arrayContaining(warnings));
});

// Promise: second-limit-warned
test('a request that waits for approval elsewhere is still warned of another request of its buyer', async () => {
  const place = await openWorkplace({ env: { APPROVE_ALWAYS: 'on' } });
  await place.import([HEADER, acme(1)]);
  await place.import([HEADER, acme(9)], { portfolio: 'q5' });
  const path = join(place.dir, 'again.csv');
  await writeFile(path, `${[HEADER, acme(1)].join('\n')}\n`);
  const checked = await checkedFile({ path, portfolio: 'q6' }, place.context);
  expect(checked).toMatchObject({ limits: 1, open: 1, besides: { limits: 1, requested: '1' } });
  const { warnings } = await place.import([HEADER, acme(1)], { portfolio: 'q6' });
  expect(warnings.map(({ message }) => message)).toContain(
    'This request waits for an approval already, line 2 of q4.csv #1 in portfolio q4 (1, awaiting): it is requested once, by whichever goes first. The same buyer has another request, line 2 of q5.csv #1 in portfolio q5 (9, awaiting): this limit is requested as well.',
  );
});

// Promise: check-names-every-problem
test.each(['a list', 'an errors file'])(
  'check and import report the same problem if an earlier line of %s asks for the row',
  async (kind) => {
    const place = await openCorrections();
    await place.importLines(acme(1000, 'R'), zinc(5));
    const list = [HEADER, acme(1000, 'R')];
    const [header, ofAcme = ''] = kind === 'a list' ? list : (await place.errors()).split('\r\n');
    const path = join(place.dir, 'again.csv');
    await writeFile(path, `${[header, ofAcme, ofAcme.replace(',1000', ',x')].join('\n')}\n`);
    const { lines, doubted } = await checkedFile({ path }, place.context);
    const said = lines.flatMap((line) => (line.kind === 'row' ? [] : line.problems));
    expect({ said, doubted }).toEqual({ said: (await place.importFile(path)).problems, doubted: 0 });
    expect(said.map(({ line }) => line)).toEqual([3]);
  },
);
