import { expect, test } from 'vitest';
import { decided, openDesk } from '../../support/desk.ts';

// Promises: meaning-holds-at-once, report-counts-not-as-asked
test('statuses lists statuses with their rows, and a new meaning applies at once to report and results', async () => {
  const { limitline, json } = await openDesk(3, { rules: [decided(1, 'in_progress'), decided(2, 'pending', 0.5)] });
  await limitline('run', 'q4.csv');
  const { stdout } = await limitline('statuses');
  expect(stdout).toMatch(/^ +1 {3}approved +approved \(the service says so\)$/m);
  expect(stdout).toMatch(/^ +1 {3}in_progress +not known$/m);
  expect(stdout).toContain('To say what a status means: npx limitline statuses STATUS --means');
  expect((await json('report', 'q4')).outcomes).toMatchObject({ approved: { rows: 1 }, answered: { rows: 2 } });

  expect((await limitline('statuses', 'in_progress', '--means', 'review')).stdout).toBe(
    '"in_progress" means review: 1 row.\n',
  );
  const unused = await limitline('statuses', 'in_progres', '--means', 'review');
  expect([unused.status, unused.stdout]).toEqual([
    0,
    '"in_progres" means review: 0 rows.\nWarning: this status never came to any row. Did you mean "in_progress"? To take it back: npx limitline statuses "in_progres" --means unknown\n',
  ]);
  expect(await json('statuses', 'In progress', '--means', 'review')).toMatchObject({
    nearest: 'in_progress',
    warnings: [expect.stringContaining('this status never came to any row. Did you mean "in_progress"?')],
  });
  const other = await limitline('statuses', 'expired', '--means', 'declined');
  expect(other.stdout).toMatch(/this status never came to any row\. Statuses of rows: "\w+", "\w+", "\w+"\. To take/);
  expect((await json('report', 'q4')).outcomes).toMatchObject({ under_review: { rows: 1 }, answered: { rows: 1 } });
  expect((await limitline('report', 'q4', '--format', 'csv')).stdout).toContain(',under_review,');
  expect((await json('statuses')).statuses).toContainEqual({
    status: 'in_progress',
    rows: 1,
    meaning: 'review',
    from: 'account',
  });
  const { entries } = await json('audit', 'list', '--what', 'status meaning set');
  expect(entries.slice(0, 2)).toMatchObject([
    { is: 'begun', about: 'in_progress', facts: { means: 'review' } },
    { is: 'done' },
  ]);
  await limitline('statuses', 'pending', '--means', 'approved');
  const said = (await limitline('report', 'q4')).stdout;
  expect(said).toMatch(/^ {4}partly approved +1 /m);
  expect(said).toContain('Not approved: 1 under review (in_progress).\n1 limit granted below the request.\n');
  expect(said).not.toContain('To say what a status means');
  expect((await json('portfolios')).portfolios).toMatchObject([{ sums: { grantedBelow: 1, grantedNothing: 0 } }]);
  await limitline('statuses', 'in_progress', '--means', 'unknown');
  expect((await json('report', 'q4')).outcomes).toMatchObject({ answered: { rows: 1 }, partly_approved: { rows: 1 } });
  expect((await limitline('report', 'q4')).stdout).toContain('To say what a status means');
});

test('STATUS_MEANINGS overrides the meanings that people gave', async () => {
  const rules = [decided(1, 'pending', 0.5)];
  const { limitline, json } = await openDesk(2, { rules }, { STATUS_MEANINGS: 'pending = declined' });
  await limitline('run', 'q4.csv');
  expect((await json('report', 'q4')).outcomes).toMatchObject({ approved: { rows: 1 }, declined: { rows: 1 } });
  expect((await limitline('statuses')).stdout).toMatch(/pending +declined \(STATUS_MEANINGS\)/);
  const refused = await limitline('statuses', 'pending', '--means', 'review');
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('STATUS_MEANINGS says what "pending"')]);
});

test('a status that resembles a known or more frequent one is listed with a suggestion', async () => {
  const rules = [decided(1, 'aproved'), decided(2, 'in_progres'), decided(3, 'in_progress'), decided(4, 'in_progress')];
  const { limitline, json } = await openDesk(4, { rules });
  await limitline('run', 'q4.csv');
  const { stdout } = await limitline('statuses');
  expect(stdout).toMatch(/^ +1 {3}aproved +not known\. Did you mean "approved"\?$/m);
  expect(stdout).toMatch(/^ +1 {3}in_progres +not known\. Did you mean "in_progress"\?$/m);
  expect(stdout).toMatch(/^ +2 {3}in_progress +not known$/m);
  expect((await json('statuses')).statuses).toContainEqual(
    expect.objectContaining({ status: 'aproved', meaning: null, nearest: 'approved' }),
  );
  await limitline('statuses', 'in_progres', '--means', 'review');
  expect((await limitline('statuses')).stdout).toMatch(/^ +1 {3}in_progres +review$/m);
});

test.each([
  [['pending'], 'Name a status and what it means'],
  [['--means', 'review'], 'Name a status and what it means'],
  [['approved', '--means', 'declined'], 'The status is "approved", whose meaning the service shows'],
  [['', '--means', 'review'], 'The status is empty'],
  [['pending', '--means', 'maybe'], 'Allowed choices are approved, review, declined, unknown'],
])('statuses %j is refused and changes nothing', async (args, fault) => {
  const { limitline, json } = await openDesk(1);
  const refused = await limitline('statuses', ...args);
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining(fault)]);
  expect((await json('statuses')).statuses).toEqual([]);
});

test('a status that resembles "approved" gets a warning, also when no row has either', async () => {
  const { limitline } = await openDesk(1);
  expect((await limitline('statuses', 'aproved', '--means', 'approved')).stdout).toContain(
    'Warning: this status never came to any row. Did you mean "approved"?',
  );
});
