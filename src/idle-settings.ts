import { scheduleOf } from './schedule/read-schedule.ts';
import type { TaskName } from './schedule/schedule.ts';

type Values = Readonly<Record<string, string>>;

/** The settings that only a task of the night reads. */
const READ_BY: readonly (readonly [name: string, task: TaskName])[] = [
  ['LIMITLINE_AUDIT_DAYS', 'audit'],
  ['LIMITLINE_KEEP_DAYS', 'archive'],
];

/** Given settings that other settings leave without effect, or with less than people expect, one sentence each without a full stop. */
export function idleSettings(values: Values): string[] {
  return [...idleHolds(values), ...idleApprovalSettings(values), ...idleInbox(values), ...idleNightSettings(values)];
}

/** Calls that are to be held, and that an idempotency header has sent again first. Only what somebody has set is named. */
function idleHolds(values: Values): string[] {
  if (values.SERVICE_IDEMPOTENCY_HEADER === undefined) return [];
  return ['ON_UNKNOWN_COMPANY', 'ON_UNKNOWN_DOCUMENT', 'ON_UNKNOWN_LIMIT']
    .filter((name) => values[name] === 'hold')
    .map(
      (name) =>
        `${name}=hold does not hold a call that left with SERVICE_IDEMPOTENCY_HEADER: such a call is sent again first`,
    );
}

function idleApprovalSettings(values: Values): string[] {
  const { APPROVE_ABOVE, APPROVE_PERSON_ABOVE: person, APPROVE_ALWAYS = 'off', INBOX_APPROVERS: approvers } = values;
  const isAsked = APPROVE_ABOVE !== undefined || person !== undefined || APPROVE_ALWAYS !== 'off';
  return [
    ...(person !== undefined && Number(values.APPROVE_WINDOW_DAYS || 7) === 0
      ? ['APPROVE_PERSON_ABOVE looks at each portfolio alone, since APPROVE_WINDOW_DAYS is 0']
      : []),
    ...(approvers !== undefined && !isAsked
      ? ['INBOX_APPROVERS asks for no approval by itself: APPROVE_ABOVE, APPROVE_PERSON_ABOVE or APPROVE_ALWAYS does']
      : []),
  ];
}

/** INBOX_APPROVERS is none of them: it counts for the whole account, and so for the drop folder of another process. */
function idleInbox({ LIMITLINE_INBOX: folder, LIMITLINE_INBOX_MAPPING: mapping }: Values): string[] {
  if (folder !== undefined || mapping === undefined) return [];
  return ['LIMITLINE_INBOX_MAPPING has no effect, since LIMITLINE_INBOX names no drop folder'];
}

function idleNightSettings(values: Values): string[] {
  if (READ_BY.every(([name]) => values[name] === undefined)) return [];
  const { REVIEW_DAYS: review, LIMITLINE_KEEP_DAYS: keep, LIMITLINE_SCHEDULE: schedule } = values;
  const tasks = scheduleOf(schedule).map(({ task }) => task);
  const isArchived = keep !== undefined && tasks.includes('archive');
  const isLate = isArchived && review !== undefined && Number(review) > Number(keep);
  const late = 'REVIEW_DAYS names no row whose portfolio LIMITLINE_KEEP_DAYS archives before that';
  return [...(isLate ? [late] : []), ...idleTasks(values, tasks)];
}

function idleTasks(values: Values, tasks: readonly TaskName[]): string[] {
  return READ_BY.filter(([name, task]) => values[name] !== undefined && !tasks.includes(task)).map(
    ([name, task]) => `${name} has no effect at night, since LIMITLINE_SCHEDULE does not name the task ${task}`,
  );
}
