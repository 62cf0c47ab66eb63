import { expect, test } from 'vitest';
import { readSettings } from '../src/config.ts';
import { idleSettings } from '../src/idle-settings.ts';

const ZERO_DAYS = 'APPROVE_PERSON_ABOVE looks at each portfolio alone, since APPROVE_WINDOW_DAYS is 0';
const NOBODY_ASKS =
  'INBOX_APPROVERS asks for no approval by itself: APPROVE_ABOVE, APPROVE_PERSON_ABOVE or APPROVE_ALWAYS does';
const idleTask = (name: string, task: string) =>
  `${name} has no effect at night, since LIMITLINE_SCHEDULE does not name the task ${task}`;

// Promise: idle-settings-said
test.each<[string, Record<string, string>, string[]]>([
  [
    'a hold beside a header that has calls sent again',
    { SERVICE_IDEMPOTENCY_HEADER: 'Idempotency-Key', ON_UNKNOWN_LIMIT: 'hold', ON_UNKNOWN_COMPANY: 'resend' },
    [
      'ON_UNKNOWN_LIMIT=hold does not hold a call that left with SERVICE_IDEMPOTENCY_HEADER: such a call is sent again first',
    ],
  ],
  ['the holds of the default beside such a header', { SERVICE_IDEMPOTENCY_HEADER: 'Idempotency-Key' }, []],
  ['a sum by person over no days', { APPROVE_PERSON_ABOVE: '5000', APPROVE_WINDOW_DAYS: '0' }, [ZERO_DAYS]],
  ['a sum by person over the days of the default', { APPROVE_PERSON_ABOVE: '5000' }, []],
  ['a sum by buyer over no days', { APPROVE_ABOVE: '5000', APPROVE_WINDOW_DAYS: '0' }, []],
  [
    'approvers of dropped files where nothing asks',
    { LIMITLINE_INBOX: '/inbox', INBOX_APPROVERS: 'dora', APPROVE_ALWAYS: 'off' },
    [NOBODY_ASKS],
  ],
  [
    'approvers of dropped files where all is asked',
    { LIMITLINE_INBOX: '/inbox', INBOX_APPROVERS: 'dora', APPROVE_ALWAYS: 'on' },
    [],
  ],
  [
    'a mapping without a drop folder',
    { LIMITLINE_INBOX_MAPPING: 'erp' },
    ['LIMITLINE_INBOX_MAPPING has no effect, since LIMITLINE_INBOX names no drop folder'],
  ],
  // They count for the drop folder of each process of the account.
  ['approvers of dropped files without a drop folder', { INBOX_APPROVERS: 'dora', APPROVE_ALWAYS: 'on' }, []],
  [
    'days to keep where no task of the night reads them',
    { LIMITLINE_SCHEDULE: 'reconcile 02:30', LIMITLINE_KEEP_DAYS: '90', LIMITLINE_AUDIT_DAYS: '400' },
    [idleTask('LIMITLINE_AUDIT_DAYS', 'audit'), idleTask('LIMITLINE_KEEP_DAYS', 'archive')],
  ],
  [
    'days of review after those to keep',
    { REVIEW_DAYS: '30', LIMITLINE_KEEP_DAYS: '20' },
    ['REVIEW_DAYS names no row whose portfolio LIMITLINE_KEEP_DAYS archives before that'],
  ],
  [
    'days of review after those to keep where nothing is archived at night',
    { REVIEW_DAYS: '30', LIMITLINE_KEEP_DAYS: '20', LIMITLINE_SCHEDULE: 'reconcile 02:30' },
    [idleTask('LIMITLINE_KEEP_DAYS', 'archive')],
  ],
  ['days of review that end when those to keep do', { REVIEW_DAYS: '20', LIMITLINE_KEEP_DAYS: '20' }, []],
  ['days to keep and no schedule of one’s own', { LIMITLINE_KEEP_DAYS: '90', LIMITLINE_AUDIT_DAYS: '400' }, []],
  ['days to keep and their task', { LIMITLINE_SCHEDULE: 'archive 04:00', LIMITLINE_KEEP_DAYS: '90' }, []],
])('%s: what other settings leave without effect is said', (_what, env, notices) => {
  expect(idleSettings(env)).toEqual(notices);
  expect(readSettings({ env: { LIMITLINE_DATA: '/nowhere', ...env }, cwd: '/nowhere' }).notices).toEqual(notices);
});
