import { describe, expect, test, vi } from 'vitest';
import { readSchedule, scheduleOf, whenWords } from '../../src/schedule/read-schedule.ts';
import { localZone } from '../../src/schedule/schedule.ts';

test.each(['', 'Foo', ':/etc/localtime', 'GMT-2'])('a machine whose TZ is %j runs the schedule in UTC', (tz) => {
  vi.stubEnv('TZ', tz);
  expect(localZone()).toBe('UTC');
  expect(scheduleOf(undefined).map(whenWords)).toContain('each day at 02:30, UTC');
});

describe('an entry of the schedule', () => {
  // Promise: impossible-schedule-refused
  test.each([
    ['reconcile 02:30 Europe/Berlin', '30 2 * * *', 'each day at 02:30, Berlin time'],
    ['Reconcile 2:30', '30 2 * * *', 'each day at 02:30, Tokyo time'],
    ['reconcile Mon-Fri 02:30', '30 2 * * 1,2,3,4,5', 'each working day at 02:30, Tokyo time'],
    ['reconcile monday,Thu 23:05 UTC', '5 23 * * 1,4', 'each Monday and Thursday at 23:05, UTC'],
    ['audit fri-mon 03:00', '0 3 * * 0,1,5,6', 'each Monday, Friday, Saturday and Sunday at 03:00, Tokyo time'],
    ['reconcile daily 02:30 CET', '30 2 * * *', 'each day at 02:30, CET time'],
    ['reconcile 30 2 * * 1-5 Europe/Berlin', '30 2 * * 1-5', 'each working day at 02:30, Berlin time'],
    ['reconcile 5 4 * * sun', '5 4 * * sun', 'each Sunday at 04:05, Tokyo time'],
    ['retry 0 */6 * * *', '0 */6 * * *', 'each day at 00:00, 06:00, 12:00 and 18:00, Tokyo time'],
    ['retry 15 * * * *', '15 * * * *', 'each hour at 15 past, Tokyo time'],
    ['audit 0 3 1 1,7 * UTC', '0 3 1 1,7 *', 'on day 1 of the month in January and July at 03:00, UTC'],
    ['audit 0 3 13 * 5 UTC', '0 3 13 * 5', 'on day 13 of the month and each Friday at 03:00, UTC'],
    ['inbox * * * * * America/New_York', '* * * * *', 'each minute, New York time'],
    ['inbox */15 * * * 1-5', '*/15 * * * 1-5', 'every 15 minutes, each working day, Tokyo time'],
    ['inbox 0,30 8-17 * * *', '0,30 8-17 * * *', 'by 0,30 8-17 * * *, Tokyo time'],
    ['reconcile 0 0 29 2 * UTC', '0 0 29 2 *', 'on day 29 of the month in February at 00:00, UTC'],
  ])('%j is read as %j: %s', (text, pattern, words) => {
    const { entries, faults } = readSchedule(text, 'Asia/Tokyo');
    expect(faults).toEqual([]);
    expect(entries.map((entry) => [entry.pattern, whenWords(entry)])).toEqual([[pattern, words]]);
  });

  // Promise: impossible-schedule-refused
  test.each([
    ['reconcle 02:30', 'names no task that there is; reconcile is meant, perhaps'],
    ['backup 02:30', 'names no task that there is; there are audit, inbox, reconcile, retry'],
    ['reconcile', 'says no time, such as reconcile 02:30'],
    ['reconcile 25:00', 'says 25:00, which no clock shows'],
    ['reconcile fooday 02:30', 'says "fooday" before the time, which is no day of the week, such as Mon-Fri'],
    ['reconcile 02:30 Europe/Berln', 'names "Europe/Berln", which is no known time zone, such as Europe/Berlin'],
    ['reconcile 02:30 +02:00', 'names "+02:00", which is no known time zone, such as Europe/Berlin'],
    ['reconcile 02:30 UTC please', 'says "please" behind the time zone'],
    ['reconcile at night', 'says no time: write 02:30, Mon-Fri 02:30 or five fields of cron'],
    ['reconcile 0 0 30 2 *', 'names a day that no month of it has, so it never comes'],
    ['reconcile 0 0 31 4,6 *', 'names a day that no month of it has, so it never comes'],
    ['reconcile */5 * * * * *', 'has six fields; there are no seconds here, so leave the first of them out'],
    ['reconcile * * * * * * UTC', 'has six fields; there are no seconds here'],
    ['reconcile 60 2 * * *', 'has "60" for the minute, which is 0 to 59'],
    ['reconcile 0 2 L * *', 'has "L" for the day of the month, which is 1 to 31'],
    ['reconcile 0 22-4 * * *', 'has "22-4" for the hour, which is 0 to 23'],
    ['reconcile 0 2 * foo *', 'has "foo" for the month, which is 1 to 12 or a name such as feb'],
    ['reconcile */0 2 * * *', 'has "*/0" for the minute'],
    ['reconcile * * * * *', 'runs every minute; reconcile needs at least 5 minutes between two runs'],
    ['retry */4 * * * *', 'runs again after 4 minutes; retry needs at least 5 minutes between two runs'],
    ['retry 0,58 0,23 * * *', 'runs again after 2 minutes; retry needs at least 5 minutes between two runs'],
    ['retry off', 'is not needed: a task without an entry does not run'],
  ])('%j is refused: %s', (text, fault) => {
    const { entries, faults } = readSchedule(text, 'UTC');
    expect(entries).toEqual([]);
    expect(faults).toEqual([expect.stringContaining(`${JSON.stringify(text)} in it ${fault}`)]);
  });
});

test('a schedule has lines or parts between semicolons, comments after #, and several entries for one task', () => {
  const text = '# at night\nreconcile 02:30; reconcile Sat 14:00 # the weekend; too\n\n  retry 04:00 UTC\n';
  const { entries, faults } = readSchedule(text, 'Asia/Tokyo');
  expect(faults).toEqual([]);
  expect(entries.map(({ task, pattern, tz }) => [task, pattern, tz])).toEqual([
    ['reconcile', '30 2 * * *', 'Asia/Tokyo'],
    ['reconcile', '0 14 * * 6', 'Asia/Tokyo'],
    ['retry', '0 4 * * *', 'UTC'],
  ]);
});

test('a schedule with a byte order mark and Windows line endings is read', () => {
  const { entries, faults } = readSchedule('\uFEFF# at night\r\nreconcile 02:30 UTC # late\r\n\r\n# off\r\n', 'UTC');
  expect(faults).toEqual([]);
  expect(entries).toEqual([{ task: 'reconcile', pattern: '30 2 * * *', tz: 'UTC' }]);
});

test('each fault of a schedule is reported, and its valid entries are read', () => {
  const { entries, faults } = readSchedule('reconcile 02:30\nfoo 1\nretry 99:00', 'UTC');
  expect(entries).toHaveLength(1);
  expect(faults).toHaveLength(2);
});

test('"off" alone runs nothing; "off" beside entries, and an empty schedule, are faults', () => {
  expect(readSchedule('off')).toEqual({ entries: [], faults: [] });
  expect(readSchedule('off; retry 04:00').faults).toHaveLength(1);
  expect(readSchedule('# nothing\n').faults).toEqual(['no task is named in it; to run no task at all, write off']);
});

test("the default schedule runs audit, reconcile, retry and archive in the machine's time zone", () => {
  expect(scheduleOf(undefined)).toEqual([
    { task: 'audit', pattern: '15 2 * * *', tz: localZone() },
    { task: 'reconcile', pattern: '30 2 * * *', tz: localZone() },
    { task: 'retry', pattern: '0 4 * * *', tz: localZone() },
    { task: 'archive', pattern: '30 4 * * *', tz: localZone() },
  ]);
});
