import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { later, openReview } from '../../support/under-review.ts';

const DAY = 24 * 60;

// Promises: decision-older-than-answer, decisions-not-taken-named
test('a decision dated before the answered request is older than the answer, and is not imported', async () => {
  const { ids, decide, outcomes } = await openReview(2);
  const known = later(0);
  await decide([`${ids[0]},,rejected,,,${known}`]);
  const mistyped = later(-DAY - 5);
  const said = [`${ids[0]},,approved,1001.5,1001.5,${mistyped}`, `${ids[1]},,approved,1002.5,1002.5,${mistyped}`];
  const dry = await decide(said, '--dry-run');
  const { status, stdout } = await decide(said);
  expect([dry.status, status]).toEqual([2, 2]);
  const older = (id: string | undefined, of: string) =>
    `not taken: The decision about ${id} is of ${mistyped}, and what is known of this limit is of ${of}: an older decision changes nothing. If this decision counts, give it a later decided_at.\n`;
  const asked = /line 3, .* known of this limit is of (\S+): an older/.exec(stdout)?.[1] ?? '';
  expect(Date.parse(asked)).toBeLessThan(Date.parse(known));
  expect(stdout).toContain(`line 2, ${older(ids[0], known)}line 3, ${older(ids[1], asked)}`);
  expect(stdout).toContain('0 decisions taken, 0 known already, 2 not taken.');
  expect(await outcomes()).toMatchObject({ declined: { rows: 1 }, under_review: { rows: 1 }, approved: { rows: 0 } });
});

// Promise: decision-older-than-answer
test('a decision dated before the request is not imported when the answer has no status either', async () => {
  const { ids, decide } = await openReview(1, [
    { on: 'limit', match: 'HRB', fault: 'answer', set: {}, drop: ['status'] },
  ]);
  const { status, stdout } = await decide([`${ids[0]},,approved,1001.5,1001.5,${later(-365 * DAY)}`]);
  expect(stdout).toContain('an older decision changes nothing. If this decision counts, give it a later decided_at.');
  expect(status).toBe(2);
  expect((await decide([`${ids[0]},,approved,1001.5,1001.5,${later(1)}`])).stdout).toContain('1 decision taken');
});

// Promise: decision-older-than-answer
test('a decision dated less than a day before the request is imported with a warning, and a mistyped status is asked about', async () => {
  const { ids, decide } = await openReview(3);
  const nothing = await decide([]);
  expect(nothing).toMatchObject({
    status: 2,
    stdout: expect.stringContaining('later.csv: The file has a header and no line, so there is nothing to take.'),
  });
  // Only "aproved" is spelled much like a known status.
  const before = `${ids[0]},,approved,1001.5,1001.5,${later(-60)}`;
  const { status, stdout } = await decide([before, `${ids[1]},,aproved,1,1,`, `${ids[2]},,frozen,1,1,`]);
  expect(status).toBe(0);
  expect(stdout).toContain(
    'No row had "aproved" before. Did you mean "approved"? To correct it later, send the line again with a later decided_at, the day of today, or none.',
  );
  expect(stdout).not.toContain('"frozen" before');
  expect(stdout).toMatch(
    new RegExp(
      `line 2, warning: The limit ${ids[0]} was decided at \\S+ \\d\\d:\\d\\d UTC, before it was requested at \\S+ \\d\\d:\\d\\d UTC\\. The decision counts all the same\\. Times without a zone are read as UTC: write the zone behind the time`,
    ),
  );
});

// Promise: unknown-available-counted
test('an available amount from before the last decision is in no sum, and limits without one are counted', async () => {
  const { ids, cwd, decide, limitline, json } = await openReview(2);
  await decide([`${ids[0]},,approved,1001.5,400,`, `${ids[1]},,approved,1002.5,700,`]);
  await writeFile(join(cwd, 'total.csv'), `buyer_limit_id,status,total_limit\n${ids[1]},approved,900\n`);
  expect((await limitline('decisions', 'total.csv')).stdout).toContain('1 decision taken (1 approved) for 1 row');
  expect(await json('report', 'q4')).toMatchObject({ granted: '1901.50', available: '400.00', withoutAvailable: 1 });
  const { stdout } = await limitline('report', 'q4');
  expect(stdout).toContain('Available of what was granted: 400.00, and of 1 limit it is not known.\n');
  // The same decision again changes nothing. A later amount is counted again.
  await limitline('decisions', 'total.csv');
  await decide([`${ids[1]},,approved,900,300,${later(1)}`]);
  expect(await json('report', 'q4')).toMatchObject({ available: '700.00', withoutAvailable: 0 });
  expect((await limitline('reconcile')).stdout).toMatch(/^1 finding, for finance\./);
});

// Promise: correct-a-decision-today
test('a decision dated today counts from the import of its file, so a later file of that day corrects it', async () => {
  const { ids, decide, outcomes } = await openReview(1);
  const today = later(0).slice(0, 10);
  const approved = [`${ids[0]},,approved,1001.5,1001.5,${today}`];
  expect((await decide([`${ids[0]},,rejected,,,${today}`])).stdout).toContain('1 decision taken');
  expect((await decide(approved)).stdout).toContain('1 decision taken');
  expect((await decide(approved)).stdout).toContain('0 decisions taken, 1 known already, 0 not taken.');
  expect(await outcomes()).toMatchObject({ approved: { rows: 1 }, declined: { rows: 0 } });
  expect((await decide([`${ids[0]},,rejected,,,`])).stdout).toContain('1 decision taken');
  expect(await outcomes()).toMatchObject({ approved: { rows: 0 }, declined: { rows: 1 } });
});

// Promises: decision-older-than-answer, day-named-as-typed
test('a date without a time is printed as that day, with the note that its end counts', async () => {
  const { ids, decide } = await openReview(1);
  const day = later(-2 * DAY).slice(0, 10);
  const { stdout } = await decide([`${ids[0]},,approved,1001.5,1001.5,${day}`]);
  expect(stdout).toContain(
    `The decision about ${ids[0]} is of ${day} (the end of the day, since it has no time), and what`,
  );
  expect(stdout).not.toContain('T23:59');
});

// Promise: status-case-means-nothing
test('a status that differs from a known one only in case is imported as the known one', async () => {
  const { ids, decide, outcomes } = await openReview(2);
  const { stdout } = await decide([`${ids[0]},,Approved,1001.5,1001.5,`, `${ids[1]},,REJECTED,,,`]);
  expect(stdout).toContain('2 decisions taken (1 approved, 1 ');
  expect(stdout).not.toContain('Did you mean');
  expect(await outcomes()).toMatchObject({ approved: { rows: 1 } });
});

// Promise: status-case-means-nothing
test('a status that differs from a known one only in spaces or the encoding of an umlaut is imported as the known one', async () => {
  const { ids, decide, json, limitline } = await openReview(4);
  const status = 'manuell geprüft';
  await limitline('statuses', status, '--means', 'review');
  const written = [status.normalize('NFD'), 'manuell\u00a0geprüft', 'Manuell  geprüft', status];
  const { stdout } = await decide(written.map((one, place) => `${ids[place]},,${one},,,`));
  expect(stdout).toContain(`4 decisions taken (4 ${status})`);
  expect(stdout).not.toContain('Did you mean');
  expect((await json('report', 'q4')).statuses).toEqual({ [status]: 4 });
});
