import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { approvalOutlook } from '../../../scripts/look/approval-outlook.ts';
import { dryRunWords } from '../../../scripts/look/dry-run.ts';
import { policyOf } from '../../../src/ledger/schema/approval.ts';
import type { Problem } from '../../../src/portfolio/problem.ts';
import { resendHeld } from '../../support/approved-portfolio.ts';
import { found } from '../../support/checked-ledger.ts';
import { checkedFile, HEADER, openCorrections } from '../../support/workplace.ts';

const MAIL = `${HEADER},contact_email`;
/** A line with this amount, which may be unreadable, and with a reference and an e-mail address. */
const acme = (amount: string, reference = '', mail = '') => `Acme AG,DE,HRB 1,${reference},${amount},${mail}`;
const tin = (amount: string, reference: string) => `Tin AG,DE,HRB 3,${reference},${amount},`;
const zinc = 'Zinc AG,DE,HRB 2,,5,';

/** A portfolio of unsent rows, and functions that import a later file into it. */
async function openPlace(refusing: Parameters<typeof openCorrections>[0] = '') {
  const place = await openCorrections(refusing);
  const write = async (name: string, lines: readonly string[]) => {
    const path = join(place.dir, name);
    await writeFile(path, `${[MAIL, ...lines].join('\n')}\n`);
    return path;
  };
  return {
    ...place,
    write,
    importLines: async (name: string, ...lines: string[]) => place.importFile(await write(name, lines)),
    /** The amounts of the rows that wait to be sent. */
    waiting: async () =>
      (await place.results())
        .filter(({ state }) => state === 'queued')
        .map(({ requested_limit = '' }) => Number(requested_limit.replace('EUR ', '')))
        .sort((a, b) => a - b),
    sent: async () => {
      const workers = await place.work();
      await place.settled();
      await workers.stop();
      return place.requested();
    },
  };
}

// Promise: unread-correction-not-sent
test.each<[string, string[], string[], number[]]>([
  ['an amount that cannot be read', [acme('1000')], [acme('1O00')], []],
  [
    'an amount in another currency',
    [acme('EUR 1000')],
    [acme('EUR 7'), 'Tin AG,DE,HRB 3,,EUR 8,', acme('USD 1000')],
    [7, 8],
  ],
  ['another amount and a wrong address', [acme('1000')], [acme('2000', '', 'nobody')], []],
  ['the reference and an unreadable amount', [acme('1000', 'R1'), acme('3000', 'R2')], [acme('1O00', 'R1')], [3000]],
  ['the reference, another amount and a wrong address', [acme('1000', 'R1')], [acme('2000', 'R1', 'nobody')], []],
  ['none of two amounts', [acme('1000'), acme('2000')], [acme('1O00')], []],
  ['one of two amounts', [acme('1000'), acme('2000')], [acme('2OOO'), acme('1000')], [1000]],
  ['the same amount and a wrong address', [acme('1000')], [acme('1000', '', 'nobody')], [1000]],
  ['the same reference and amount and a wrong address', [acme('1000', 'R1')], [acme('1000', 'R1', 'nobody')], [1000]],
  ['a reference of its own', [acme('1000', 'R1')], [acme('2OOO', 'R2')], [1000]],
  ['one reference twice, with another amount', [acme('1000', 'R1')], [acme('1000', 'R1'), acme('2000', 'R1')], [1000]],
  [
    'a reference of another buyer',
    [acme('1000', 'R1'), tin('3000', 'R3')],
    [acme('2000', 'R3'), tin('3000', 'R3')],
    [3000],
  ],
  [
    'a reference of another buyer and no amount',
    [acme('1000', 'R1'), tin('3000', 'R3')],
    [tin('3000', 'R3'), acme('', 'R3')],
    [3000],
  ],
  ['a reference that the file has twice', [acme('1000', 'R1')], [tin('3000', 'R3'), acme('2000', 'R3')], [3000]],
  ['two lines that cannot be read', [acme('1000')], [acme('1O00'), acme('2O00')], []],
  ['the reference and another register number', [acme('1000', 'R1')], ['Acme AG,DE,HRB 9,R1,2OOO,'], []],
  ['the reference and no name', [acme('1000', 'R1')], [',DE,HRB 1,R1,2000,'], []],
  ['the reference and a wrong country', [acme('1000', 'R1')], ['Acme AG,Germny9,HRB 1,R1,2000,'], []],
  ['one amount, which may correct each of two', [acme('1000'), acme('2000')], [acme('3000')], []],
  ['two amounts, which may correct each of two', [acme('1000'), acme('2000')], [acme('3000'), acme('4000')], []],
  ['one of two amounts, and another one', [acme('1000'), acme('2000')], [acme('3000'), acme('2000')], [2000, 3000]],
  ['another buyer', [acme('1000')], ['Tin AG,DE,HRB 3,,1O00,'], [1000]],
])(
  'unsent rows stay queued unless an invalid line may correct them, if a later file has for the buyer %s',
  async (_name, before, lines, waiting) => {
    const place = await openPlace();
    await place.importLines('q4.csv', zinc, ...before);
    const path = await place.write('q4-corrected.csv', [zinc, ...lines]);
    const told = (problems: Problem[]) => problems.filter(({ message }) => message.startsWith('This line may correct'));
    const check = await checkedFile({ path }, place.context);
    const foreseen = check.lines.flatMap((line) => (line.kind === 'invalid' ? told(line.problems) : []));
    const { problems } = await place.importFile(path);
    expect(told(problems)).toEqual(foreseen);
    expect(await place.waiting()).toEqual([5, ...waiting]);
  },
);

// Promise: unread-correction-not-sent
test('the corrected line requests its limit once, and check and import name the cancelled row each time', async () => {
  const place = await openPlace();
  await place.importLines('q4.csv', zinc, acme('1000'));
  const lines = [zinc, acme('1O00')];
  const path = await place.write('q4-corrected.csv', lines);
  const foreseen = async () => (await checkedFile({ path }, place.context)).lines.at(-1);
  const said = {
    column: null,
    message: 'This line may correct a request that is therefore not sent: line 3 (1,000) of an earlier file.',
  };
  expect(await foreseen()).toMatchObject({ problems: [{ column: 'requested_limit' }, said] });
  for (const _time of [1, 2]) {
    const { problems, lacking } = await place.importFile(path);
    expect(problems).toMatchObject([{ column: 'requested_limit' }, said]);
    expect(lacking).toBe(0);
  }
  expect(await foreseen()).toMatchObject({ problems: [{ column: 'requested_limit' }, said] });
  expect(await place.report()).toMatchObject({ invalid: 1, states: { queued: 1, cancelled: 1 } });
  expect(await place.sent()).toEqual([5]);
  const errors = await place.errors();
  expect(errors.split('\r\n').filter((line) => line.includes('Acme'))).toEqual([
    expect.stringContaining('line 3 (1,000)'),
  ]);
  const mended = join(place.dir, 'q4.errors.csv');
  await writeFile(mended, errors.replace('1O00', '10000'));
  expect(await place.importFile(mended)).toMatchObject({ rows: 1, problems: [] });
  expect(await place.sent()).toEqual([5, 10_000]);
});

test('check counts the rows that would be cancelled, and leaves them out of the approval sum', async () => {
  const place = await openPlace();
  await place.importLines('q4.csv', acme('1000'), zinc);
  const path = await place.write('q4-corrected.csv', [acme('1O00'), zinc.replace('5', '5x'), tin('700', 'R3')]);
  const { before, ...found } = await checkedFile({ path }, place.context);
  expect(dryRunWords({ ...found, before }, undefined)).toContain(
    '2 rows of earlier imports would be cancelled, since invalid lines may correct what they ask for.',
  );
  const settings = { ...place.context.settings, APPROVE_ABOVE: '1500' };
  const context = { ...place.context, approvalPolicy: async () => policyOf(settings) };
  // The rows that would be cancelled are in no sum. The portfolio asks for 700.
  const dryRun = { ...found, before };
  expect(await approvalOutlook({ portfolio: 'q4', dryRun, left: 0 }, { settings, context })).toMatch(
    /^If the sum of one buyer within 7 days is above 1,500/,
  );
});

test('a row that was sent meanwhile is not cancelled', async () => {
  const place = await openPlace();
  await place.importLines('q4.csv', acme('1000'));
  expect(await place.sent()).toEqual([1000]);
  const { problems } = await place.importLines('q4-corrected.csv', acme('1O00'));
  expect(problems).toMatchObject([{ column: 'requested_limit' }]);
  expect(await place.report()).toMatchObject({ states: { done: 1, cancelled: 0 } });
});

test('an older file imported again does not cancel the row of its corrected line', async () => {
  const place = await openPlace();
  const path = await place.write('q4.csv', [zinc, acme('2OOO')]);
  await place.importFile(path);
  const errors = join(place.dir, 'errors.csv');
  await writeFile(errors, (await place.errors()).replace('2OOO', '2000'));
  expect(await place.importFile(errors)).toMatchObject({ invalid: 0 });
  const { problems } = await place.importFile(path);
  expect(problems).toMatchObject([{ column: 'requested_limit' }]);
  expect(await place.sent()).toEqual([5, 2000]);
});

test('a refused row is cancelled as well, because a retry would send it', async () => {
  const place = await openPlace('HRB 1"');
  await place.importLines('q4.csv', acme('1000'));
  expect(await place.sent()).toEqual([]);
  await place.importLines('q4-corrected.csv', acme('2OOO'));
  expect(await place.report()).toMatchObject({ states: { refused: 0, cancelled: 1 } });
});

// Promise: unread-correction-not-sent
test('a line that may correct either of two requests stays a problem, and is corrected in the errors file', async () => {
  const place = await openPlace();
  await place.importLines('q4.csv', acme('1000'), acme('2000'));
  for (const _time of [1, 2]) {
    const { problems } = await place.importLines('q4-corrected.csv', acme('3000'));
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('it cannot be told which of them this line (3,000) corrects'),
      'This line may correct requests that are therefore not sent: line 2 (1,000), line 3 (2,000) of an earlier file.',
    ]);
    expect(await place.report()).toMatchObject({ invalid: 1, states: { queued: 0, cancelled: 2 } });
  }
  const path = join(place.dir, 'q4.errors.csv');
  const errors = await place.errors();
  // The unchanged line is the same problem.
  await writeFile(path, errors);
  const [said] = (await place.importFile(path)).problems;
  expect(said?.message).toMatch(
    /\(1,000, cancelled\), .* \(2,000, cancelled\)\. Give it a request_reference of its own, in the file/,
  );
  await writeFile(path, errors.replace(',,3000,', ',R1,3000,'));
  expect(await place.importFile(path)).toMatchObject({ rows: 1, replaced: 0, problems: [] });
  expect(await place.sent()).toEqual([3000]);
});

// Promise: unread-correction-not-sent
test('a row whose company is in doubt is cancelled as well, because its limit would be sent later', async () => {
  const place = await openPlace([{ on: 'company', match: 'Acme', fault: 'reset', made: true, times: 1 }]);
  await place.importLines('q4.csv', acme('1000'), zinc);
  expect(await place.sent()).toEqual([5]);
  expect(await place.report()).toMatchObject({ states: { held: 1, done: 1 } });
  const path = await place.write('q4-corrected.csv', [acme('1O00')]);
  const foreseen = (await checkedFile({ path }, place.context)).lines.at(-1);
  const { problems } = await place.importFile(path);
  expect(foreseen).toMatchObject({ problems });
  expect(problems.at(-1)?.message).toContain('line 2 (1,000)');
  expect(await place.report()).toMatchObject({ states: { held: 0, cancelled: 1, done: 1 } });
  expect(await found(place)).toEqual([]);
  // The corrected line waits for the answer to the same company, and is sent after it.
  await writeFile(join(place.dir, 'q4.errors.csv'), (await place.errors()).replace('1O00', '2000'));
  expect(await place.importFile(join(place.dir, 'q4.errors.csv'))).toMatchObject({ rows: 1, problems: [] });
  expect(await place.sent()).toEqual([5]);
  await resendHeld({}, place.context);
  expect(await place.sent()).toEqual([5, 2000]);
});

test('the column row of an errors file means the row, or the one that replaced it since', async () => {
  const place = await openPlace();
  await place.importLines('q4.csv', acme('1000'));
  const errors = join(place.dir, 'errors.csv');
  const text = await place.errors();
  await writeFile(errors, text.replace(',1000,', ',3OOO,').replace('HRB 1', 'HRB 9'));
  await place.importLines('q4.csv', acme('2000'));
  expect(await place.importFile(errors)).toMatchObject({
    problems: [{ column: 'requested_limit' }, { message: expect.stringContaining('line 2 (2,000)') }],
  });
  expect(await place.report()).toMatchObject({ states: { queued: 0, cancelled: 2 } });
});

test('20 unreadable lines of a buyer with 530 rows cancel all of them, and the problem lists only a few', async () => {
  const place = await openPlace();
  // From 513 requests of a buyer on, Redis hands them out in pages.
  const amounts = Array.from({ length: 530 }, (_none, at) => at + 1);
  await place.importLines('q4.csv', ...amounts.map((amount) => acme(String(amount))));
  const { problems } = await place.importLines(
    'q4-corrected.csv',
    ...amounts.slice(0, 20).map((amount) => acme(`${amount} O`)),
  );
  expect(problems).toHaveLength(40);
  expect(problems.at(-1)?.message).toMatch(/: line \d+ \([\d,]+\).* and 525 more of an earlier file\.$/);
  expect(problems.at(-1)?.message.length).toBeLessThan(250);
  expect(await place.report()).toMatchObject({ states: { queued: 0, cancelled: 530 } });
});

test('an invalid line of an errors file cancels no row that another part of that errors file brought in', async () => {
  const place = await openPlace();
  await place.importLines('q4.csv', acme('1000'), acme('2000'));
  await place.importLines('q4-corrected.csv', acme('3000'), acme('4000'), tin('5O00', ''), tin('6O00', ''));
  const [header = '', ...lines] = (await place.errors()).split('\r\n');
  const part = async (name: string, chosen: RegExp, change: (line: string) => string) => {
    const path = join(place.dir, name);
    await writeFile(path, [header, ...lines.filter((line) => chosen.test(line)).map(change), ''].join('\n'));
    const { doubted } = await checkedFile({ path }, place.context);
    expect(doubted).toBe(0);
    return place.importFile(path);
  };
  const mended = await part('one.csv', /,3000,|,5O00,/, (line) =>
    line.replace(',,3000,', ',R3,3000,').replace('5O00', '5000'),
  );
  expect(mended).toMatchObject({ rows: 2, problems: [] });
  expect(await part('two.csv', /,4000,|,6O00,/, (line) => line)).toMatchObject({ rows: 0, invalid: 2 });
  expect(await place.sent()).toEqual([3000, 5000]);
});
