import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callCommand } from '../../support/command.ts';
import { openDesk } from '../../support/desk.ts';
import { makeFolder } from '../../support/workplace.ts';

const YES = 'nothing is sent before somebody else with the role approver has said yes.';
const LIST = 'name,requested_limit\nAcme,1000\nBeta,2000\n';

// Promise: check-says-approval
test.each([
  [
    'a sum above the limit',
    { APPROVE_ABOVE: '2999' },
    'Portfolio q4 asks for 3,000.00 with these rows, which is above 2,999.00',
  ],
  ['any sum', { APPROVE_ALWAYS: 'on' }, 'Every import waits for an approval'],
  ['a sum above the limit of a person', { APPROVE_PERSON_ABOVE: '2999' }, '3,000.00 .*, which is above 2,999.00'],
  [
    'a sum that may be above the limit with other requests of the buyer',
    { APPROVE_ABOVE: '3000' },
    'If the sum of one buyer within 7 days is above 3,000.00 with this file',
  ],
  ['no sum', {}, undefined],
  ['no sum of this file alone', { APPROVE_ABOVE: '3000', APPROVE_WINDOW_DAYS: '0' }, undefined],
])('check states whether another person must approve: %s', async (_name, env, words) => {
  const cwd = await makeFolder();
  await writeFile(join(cwd, 'q4.csv'), LIST);
  const { stdout, status } = await callCommand(['check', 'q4.csv'], { cwd, env });
  expect(status).toBe(0);
  if (words === undefined) expect(stdout).not.toContain(YES);
  else expect(stdout).toMatch(new RegExp(`^.*${words}[:,] ${YES}$`, 'm'));
});

// Promise: check-says-approval
test('check includes the rows of the portfolio, and mentions no approval for a file that requests nothing new', async () => {
  const { limitline, json, cwd } = await openDesk(0, {}, { APPROVE_ABOVE: '4000' });
  await writeFile(join(cwd, 'q4.csv'), LIST);
  await writeFile(join(cwd, 'more.csv'), 'name,requested_limit\nGamma,1500\n');
  await limitline('import', 'q4.csv', '--yes');
  expect(await json('check', 'q4.csv')).toMatchObject({ approval: null });
  expect(await json('check', 'more.csv', '--portfolio', 'q5')).toMatchObject({
    approval: `If the sum of one buyer within 7 days is above 4,000.00 with this file, ${YES}`,
  });
  expect(await json('check', 'more.csv', '--portfolio', 'q4')).toMatchObject({
    approval: `Portfolio q4 asks for 4,500.00 with these rows, which is above 4,000.00: ${YES}`,
  });
  // What the portfolio and the file both have counts once, also where the file corrects it.
  await writeFile(join(cwd, 'some.csv'), 'name,requested_limit\nAcme,1000\nGamma,1500\n');
  expect(await json('check', 'some.csv', '--portfolio', 'q4')).toMatchObject({
    approval: `Portfolio q4 asks for 4,500.00 with these rows, which is above 4,000.00: ${YES}`,
  });
  await writeFile(join(cwd, 'less.csv'), 'name,requested_limit\nAcme,500\nGamma,1500\n');
  expect(await json('check', 'less.csv', '--portfolio', 'q4')).toMatchObject({
    approval: `If the sum of one buyer within 7 days is above 4,000.00 with this file, ${YES}`,
  });
  // All requests wait in another portfolio, but their rows here need an approval.
  await writeFile(join(cwd, 'large.csv'), 'name,requested_limit\nEpsilon,9000\n');
  await limitline('import', 'large.csv', '--portfolio', 'q6', '--yes');
  expect(await json('check', 'large.csv', '--portfolio', 'q6')).toMatchObject({ approval: null });
  expect(await json('check', 'large.csv', '--portfolio', 'q7')).toMatchObject({
    approval: `Portfolio q7 asks for 9,000.00 with these rows, which is above 4,000.00: ${YES}`,
  });
  // A request that waits here takes the amount of its new line.
  const referred = (amount: number) => `name,request_reference,requested_limit\nZeta,r1,${amount}\n`;
  await writeFile(join(cwd, 'now.csv'), referred(10));
  await limitline('import', 'now.csv', '--portfolio', 'q8', '--yes');
  await writeFile(join(cwd, 'then.csv'), referred(9000));
  expect(await json('check', 'then.csv', '--portfolio', 'q8')).toMatchObject({
    approval: `Portfolio q8 asks for 9,000.00 with these rows, which is above 4,000.00: ${YES}`,
  });
  // Nothing would be imported.
  expect(await json('check', 'more.csv', '--portfolio', 'q4', '--total', '1')).toMatchObject({ approval: null });
});

// Promise: check-says-approval
test.each([
  [
    'with a line that corrects its number',
    ['Acme AG,DE,HRB 1,r1,1000'],
    ['Acme AG,DE,HRB 2,r1,1000', 'Gamma,DE,,r3,400'],
    '1500',
    undefined,
  ],
  [
    'with a faulty line that may correct it and a later line that replaces it',
    ['Acme,DE,,,1000', 'Beta,DE,,,5000'],
    [
      'Acme,DE,,,abc',
      ...Array.from({ length: 600 }, (_, at) => `Other ${at},FR,,,1`),
      'Acme,DE,,,900',
      'Beta,DE,,,5000',
    ],
    '6400',
    'Portfolio q4 asks for 6,500.00 with these rows',
  ],
])('check counts a row once %s', async (_name, before, after, above, words) => {
  const { limitline, json, cwd } = await openDesk(0, {}, { APPROVE_ABOVE: above, APPROVE_WINDOW_DAYS: '0' });
  const text = (lines: string[]) =>
    `${['name,country_code,company_registration_number,request_reference,requested_limit', ...lines].join('\n')}\n`;
  await writeFile(join(cwd, 'q4.csv'), text(before));
  await limitline('import', 'q4.csv', '--yes');
  await writeFile(join(cwd, 'later.csv'), text(after));
  const { approval } = await json('check', 'later.csv', '--portfolio', 'q4');
  if (words === undefined) expect(approval).toBeNull();
  else expect(approval).toContain(words);
});
