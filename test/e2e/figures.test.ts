import { expect, test } from 'vitest';
import { decided, openConsole, openDesk, plainText } from '../support/desk.ts';

// Promises: report-counts-not-as-asked, settled-means-known
test('figures in the report, in JSON and on the pages agree for rows with every outcome', async () => {
  const desk = await openDesk(10, {
    rules: [
      decided(2, 'approved', 0.5),
      decided(3, 'declined', 0),
      decided(4, 'under_review', 0.5),
      decided(5, 'approved', 0),
      { on: 'limit', match: 'HRB 6"', fault: 'status', status: 422, body: 'too high' },
      { on: 'limit', match: 'HRB 7"', fault: 'reset', made: true },
    ],
  });
  const { limitline, json } = desk;
  const { get } = await openConsole(desk);
  const pageOf = async (address: string) => plainText((await get(address)).text);

  // Seven of ten rows were sent, and five of these were answered.
  await limitline('run', 'q4.csv', '--first', '7', '--yes');
  expect(await json('report', 'q4')).toMatchObject({
    states: { queued: 3, done: 5, refused: 1, held: 1 },
    requested: '5017.50',
    inAllRows: '10060.00',
    granted: '1502.75',
    grantedBelow: 1,
    grantedNothing: 1,
  });
  expect(await pageOf('/portfolios/q4')).toMatch(
    /In the file 10 10,060\.00 Waiting 3 .*Requested 5 5,017\.50 1,502\.75/,
  );

  await limitline('cancel', 'q4');
  await limitline('resume', 'q4');
  expect(await json('report', 'q4')).toMatchObject({
    states: { done: 5, refused: 1, held: 1, cancelled: 3 },
    requested: '5017.50',
    inAllRows: '10060.00',
    byState: { refused: '1006.50', held: '1007.50', cancelled: '3028.50' },
  });
  const { stdout } = await limitline('report', 'q4');
  expect(stdout).toMatch(/^in the file +10 +10,060\.00$/m);
  expect(stdout).toMatch(/^ {2}requested +5 +5,017\.50 +1,502\.75$/m);
  expect(stdout).toMatch(/^Not known to be approved: 1 “declined”, 1 “under_review”\.$/m);
  expect(stdout).toMatch(/^1 limit granted below the request\.\n1 limit approved with nothing granted\.$/m);
  expect(stdout).toMatch(/^Started \S+, nothing left to send since \S+ /m);

  const page = await pageOf('/portfolios/q4');
  expect(page).toContain('In the file 10 10,060.00 Not sent 3 3,028.50 Rejected by the service 1 1,006.50 ');
  expect(page).toContain('Needs an answer 1 1,007.50 Requested 5 5,017.50 1,502.75 Approved 1 1,001.50 1,001.50 ');
  expect(page).toMatch(/Partly approved 1 .* Declined 1 .* Answered, outcome not known 2 /);
  expect(page).toContain('Nothing left to send since');
  expect(page).not.toContain('Finished');
  expect(await pageOf('/')).toMatch(/5,017\.50 in the file 10,060\.00 +1,502\.75 1 row needs an answer/);
  expect(await json('portfolios')).toMatchObject({
    portfolios: [{ standing: 'held', sums: { requested: '5017.50', inAllRows: '10060.00', grantedBelow: 1 } }],
  });
  expect((await limitline('portfolios')).stdout).toMatch(
    / {2}needs an answer .*\n.*\n +requested 5,017\.50 of 10,060\.00 in all rows, granted 1,502\.75, 1 limit below the request$/m,
  );

  // The held row is the only finding for a person, and no sum disagrees.
  const night = await limitline('reconcile');
  expect(night.stdout).toMatch(/: 1 for a person, \d for finance\./);
  expect(night.stdout).toMatch(
    /NEEDS AN ANSWER\n\n +A person must say what became of the request \(1 row, 1,007\.50\)/,
  );
  expect(night.stdout).toMatch(/Granted less than requested \(1 row, /);
  expect(night.stdout).toMatch(/Limits that are not approved \(3 rows, /);
  expect(await pageOf('/nightly')).toMatch(/Need an answer 1 1 row For finance/);
  expect(await pageOf('/health')).toMatch(/Held rows 1 Compared with its rows \d+ s ago, all agreed/);

  // The answer for the held row settles the last row.
  await limitline('resolve', 'q4', '--line', '8', '--made', 'bl_told', '--id-is-right', '--yes');
  await desk.start('work', '--until-settled', 'q4').ended;
  expect(await json('report', 'q4')).toMatchObject({ states: { done: 6 }, requested: '6025.00', granted: '1502.75' });
  expect(await pageOf('/portfolios/q4')).toMatch(/Requested 6 6,025\.00 1,502\.75 .*Finished/);
});
