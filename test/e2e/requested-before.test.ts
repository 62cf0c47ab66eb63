import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openConsole, openDesk, uploadTo } from '../support/desk.ts';
import { importUnderReview } from '../support/under-review.ts';
import { buyerLines } from '../support/workplace.ts';

const ALL = '3 rows, all requested before';

// Promise: all-requested-before
test('check, import, run, report and upload state that all rows of a file were requested before', async () => {
  const desk = await openDesk(3);
  const { limitline, json, standIn } = desk;
  expect((await limitline('run', 'q4.csv', '--no-results')).stderr).not.toContain('requested before');
  expect((await limitline('check', 'q4.csv')).stdout).toContain(`${ALL}: an import would request nothing.`);
  expect((await limitline('import', 'q4.csv')).stderr).toContain(`limitline: ${ALL}.\n`);
  expect(await json('import', 'q4.csv')).toMatchObject({ rows: 3, requestedBefore: 3 });
  const again = await limitline('run', 'q4.csv', '--no-results');
  expect([again.status, again.stderr]).toEqual([0, expect.stringContaining(`limitline: ${ALL}.\n`)]);

  // In another portfolio the rows are skipped, and its report states that, too.
  const other = await limitline('run', 'q4.csv', '--portfolio', 'q5', '--no-results');
  expect([other.status, other.stderr]).toEqual([0, expect.stringContaining(`limitline: ${ALL}.\n`)]);
  for (const { stdout } of [other, await limitline('report', 'q5')]) expect(stdout).toContain(`\n    ${ALL}.\n`);
  const web = await openConsole(desk);
  const page = await web.get((await uploadTo(web, ['file', 'q4.csv', await desk.read('q4.csv')])).location);
  expect(page.text.split(ALL)).toHaveLength(3);
  expect(page.text).toContain(`Import: ${ALL}`);
  expect(standIn.counts().made.limit).toBe(3);

  await appendFile(join(desk.cwd, 'q4.csv'), 'Buyer 4 GmbH,DE,HRB 4,1004.50\n');
  for (const command of ['check', 'import']) {
    const { stdout, stderr } = await limitline(command, 'q4.csv');
    expect(stdout + stderr, command).not.toContain('all requested before');
  }
  expect(await json('import', 'q4.csv', '--portfolio', 'q5')).toMatchObject({ rows: 4, requestedBefore: 3 });
});

test('a run ends with 2 and sends nothing when a line was changed after it was requested', async () => {
  const { limitline, cwd, standIn } = await openDesk(1);
  const run = async (amount: number) => {
    const lines = ['name,country_code,request_reference,requested_limit', `Acme AG,DE,R1,${amount}`, ''];
    await writeFile(join(cwd, 'q5.csv'), lines.join('\n'));
    return (await limitline('run', 'q5.csv', '--no-results')).status;
  };
  expect([await run(100), await run(200), await run(100)]).toEqual([0, 2, 0]);
  expect(standIn.counts().made.limit).toBe(1);
});

// Promise: sent-as-said-last
test('a run sends no row of an earlier import that its file corrects, even when reading the file takes long', async () => {
  const { limitline, json, cwd, standIn } = await openDesk(100);
  // The pace is known by now, so waiting rows would be sent at once.
  await limitline('run', 'q4.csv', '--no-results');
  const faulty = Array.from({ length: 15_000 }, () => ',DE,,');
  const write = (amount: number, before: string[]) => {
    const buyers = Array.from({ length: 60 }, (_none, at) => `Other ${at} GmbH,DE,HRB ${9_000 + at},${amount}`);
    const lines = ['name,country_code,company_registration_number,requested_limit', ...before, ...buyers, ''];
    return writeFile(join(cwd, 'q5.csv'), lines.join('\n'));
  };
  await write(5_000, []);
  expect(await json('import', 'q5.csv')).toMatchObject({ rows: 60 });
  await write(6_000, faulty);
  await limitline('run', 'q5.csv', '--no-results');
  const asked = standIn.things('limit').map(({ body }) => (body as { requested_limit: number }).requested_limit);
  expect([5_000, 6_000].map((amount) => asked.filter((one) => one === amount).length)).toEqual([0, 60]);
});

// Promise: all-requested-before
test('a held row is not reported as requested before', async () => {
  const { limitline, json } = await openDesk(1, { rules: [{ on: 'limit', fault: 'reset', made: false, times: 1 }] });
  await limitline('run', 'q4.csv', '--no-results');
  expect((await json('report', 'q4')).states).toMatchObject({ held: 1 });
  for (const command of ['check', 'import', 'run']) {
    const { stdout, stderr } = await limitline(command, 'q4.csv');
    expect(stdout + stderr, command).not.toContain(', requested before');
  }
});

test('check counts rows of earlier imports that the file lacks, and import --replace cancels them', async () => {
  const { limitline, cwd } = await openDesk(4);
  expect((await limitline('import', 'q4.csv', '--yes')).status).toBe(0);
  const lacks = async (lines: string[]) => {
    await writeFile(join(cwd, 'q4.csv'), `${lines.join('\n')}\n`);
    return (await limitline('check', 'q4.csv')).stdout.match(/^.* in this file .*and stay.*$/m)?.[0];
  };
  const [header = '', first = '', second = '', third = '', fourth = ''] = buyerLines(4);
  expect(await lacks([header, first, second, third, fourth])).toBeUndefined();
  // A line that corrects a row replaces it.
  const corrected = third.replace('1003.50', '1903.50');
  expect(corrected).not.toBe(third);
  expect(await lacks([header, first, corrected, fourth])).toBe(
    '1 row of an earlier import has no valid line in this file (Buyer 2 GmbH), and stays as it is; import --replace cancels it.',
  );
  const imported = await limitline('import', 'q4.csv', '--replace', '--yes');
  expect(imported.stderr).toContain('1 row of an earlier import that is not in this file was cancelled.');
});

// Promise: lacking-rows-said
test.each([
  ['is gone', (_line: string) => [], 1],
  ['has a faulty website', (line: string) => [`${line},no address`], 0],
  ['has a faulty country', (line: string) => [`${line.replace(',DE,', ',XX,')},`], 1],
  ['has another name', (line: string) => [`${line.replace('Buyer', 'Other')},`], 1],
])('check and import agree about a requested row whose line %s', async (_, change, count) => {
  const desk = await openDesk(3);
  const { limitline, cwd } = desk;
  await importUnderReview(desk);
  const [header = '', first = '', second = '', third = '', fourth = ''] = buyerLines(4);
  const others = [first, second, fourth].map((line) => `${line},`);
  await writeFile(join(cwd, 'q4.csv'), `${[`${header},website`, ...others, ...change(third)].join('\n')}\n`);
  const checked = await limitline('check', 'q4.csv');
  const imported = await limitline('import', 'q4.csv', '--yes');
  for (const text of [checked.stdout, imported.stderr])
    expect(text.match(/^.* in this file.*, and stay.*$/gm)?.length ?? 0, text).toBe(count);
  if (count > 0)
    expect(imported.stderr).toContain('1 row of an earlier import has no valid line in this file, and stays as it is.');
});
