import { nextOf } from '../../jobs/nightly/keep-schedule.ts';
import type { ScheduledTask, ScheduleFacts } from '../../src/console/pages/nightly/schedule-view.ts';
import type { Context } from '../../src/context.ts';
import { counted } from '../../src/counted.ts';
import { scheduleOf, whenWords } from '../../src/schedule/read-schedule.ts';
import { type ScheduleEntry, TASKS, type TaskName } from '../../src/schedule/schedule.ts';
import { minuteText } from '../../src/utc-text.ts';

/** The schedule as text, with a warning where no process is on duty. */
export function scheduleTable({ tasks, onDuty, isOther, nowMs }: ScheduleFacts): string {
  const parts = tasks.map((task) => taskLines(task, nowMs).join('\n'));
  if (onDuty.length === 0) {
    parts.push(
      'NOBODY IS ON DUTY: none of these tasks runs by itself.\n' +
        'Start `limitline up` or `limitline nightly --wait`, or have cron or systemd run `limitline nightly`.',
    );
  } else {
    const hosts = [...new Set(onDuty.map(({ host }) => host))].join(', ');
    parts.push(`On duty: ${counted(onDuty.length, 'process', 'processes')} on ${hosts}.`);
  }
  if (isOther)
    parts.push(
      'The settings here have another schedule (LIMITLINE_SCHEDULE); the processes on duty go by the one above.',
    );
  return parts.join('\n\n');
}

const TASK_WORDS: Readonly<Record<TaskName, string>> = {
  audit: 'cuts off audit entries that need not be kept any longer',
  inbox: 'takes in what lies in the drop folder',
  retry: 'sends again the rejected rows that a rule names',
  reconcile: 'compares the stored data, corrects what is certain, and reports',
  archive: 'takes portfolios that finished long ago out of Redis, into files',
};

/** The nightly tasks with their schedules and last results, and the processes on duty. */
export async function readScheduleFacts({
  fleet,
  nightlyRuns,
  settings,
}: Pick<Context, 'fleet' | 'nightlyRuns' | 'settings'>): Promise<ScheduleFacts> {
  const nowMs = Date.now();
  const [held, runs, onDuty] = await Promise.all([nightlyRuns.schedule(), nightlyRuns.read(TASKS), fleet.onDuty()]);
  // Processes on duty determine the schedule. Without any, these settings would.
  const given = scheduleOf(settings.LIMITLINE_SCHEDULE);
  const entries = onDuty.length > 0 && held ? (held as readonly (ScheduleEntry & { sinceMs: number })[]) : given;
  return {
    tasks: TASKS.map((task) => ({
      task,
      does: doesWords(task, settings),
      entries: entries
        .filter((entry) => entry.task === task)
        .map(({ pattern, tz }) => ({ pattern, tz, words: whenWords({ pattern, tz }) })),
      otherwise: task === 'inbox' ? inboxWords(settings) : 'not on the schedule',
      nextMs: nextOf(task, entries, nowMs),
      last: runs[task]?.last,
      lastWell: runs[task]?.lastWell,
      underWay: runs[task]?.underWay,
    })),
    onDuty,
    isOther: textOf(entries) !== textOf(given),
    nowMs,
  };
}

function taskLines(
  { task, does, entries, otherwise, nextMs, last, lastWell, underWay }: ScheduledTask,
  nowMs: number,
): string[] {
  const lines = [`${task}   ${does}`];
  lines.push(`  when   ${entries.length === 0 ? otherwise : entries.map(({ words }) => words).join('; ')}`);
  if (nextMs !== undefined) lines.push(`  next   ${minuteText(nextMs)}, in ${aboutWords(nextMs - nowMs)}`);
  if (underWay)
    lines.push(`  now    under way since ${minuteText(underWay.sinceMs)}, on ${underWay.host}, by ${underWay.by}`);
  // Files that are taken at once are no run of the task.
  if (!last)
    return [...lines, otherwise === AT_ONCE ? '  last   npx limitline inbox lists it' : '  last   it never ran'];
  lines.push(`  last   ${minuteText(last.endedMs)}: ${last.is === 'failed' ? 'FAILED. ' : ''}${last.words}`);
  if (last.is === 'failed')
    lines.push(`         it went well last: ${lastWell ? minuteText(lastWell.endedMs) : 'never'}`);
  return lines;
}

/** A duration in the largest unit of which it has at least two. */
function aboutWords(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000));
  if (minutes < 120) return counted(minutes, 'minute');
  const hours = Math.round(minutes / 60);
  return hours < 48 ? counted(hours, 'hour') : counted(Math.round(hours / 24), 'day');
}

/** The words that say what a scheduled task does, or why it has no effect by the settings. */
function doesWords(task: TaskName, { LIMITLINE_KEEP_DAYS }: Pick<Context['settings'], 'LIMITLINE_KEEP_DAYS'>): string {
  return task === 'archive' && LIMITLINE_KEEP_DAYS === undefined
    ? 'puts no portfolio into files (LIMITLINE_KEEP_DAYS is not set)'
    : TASK_WORDS[task];
}

/** The words that say when dropped files are taken in, if the schedule does not name `inbox`. */
function inboxWords({ LIMITLINE_INBOX }: Pick<Context['settings'], 'LIMITLINE_INBOX'>): string {
  return LIMITLINE_INBOX === undefined ? 'no drop folder (LIMITLINE_INBOX)' : AT_ONCE;
}

const AT_ONCE = 'at once, as files come';

function textOf(entries: readonly ScheduleEntry[]): string {
  return entries.map(({ task, pattern, tz }) => `${task} ${pattern} ${tz}`).join('\n');
}
