import type { ScheduledTask, ScheduleFacts } from '../../src/console/pages/nightly/schedule-view.ts';
import { counted } from '../../src/counted.ts';

/** The schedule as text, with a warning where no process is on duty. */
export function scheduleTable({ tasks, onDuty, isOther, nowMs }: ScheduleFacts): string {
  const parts = tasks.map((task) => taskLines(task, nowMs).join('\n'));
  if (onDuty.length === 0) {
    parts.push(
      'NOBODY IS ON DUTY: nothing of this runs by itself.\n' +
        'Start `limitline up` or `limitline nightly --wait`, or have cron or systemd run `limitline nightly`.',
    );
  } else {
    const hosts = [...new Set(onDuty.map(({ host }) => host))].join(', ');
    parts.push(`On duty: ${counted(onDuty.length, 'process', 'processes')} on ${hosts}.`);
  }
  if (isOther)
    parts.push(
      'The settings here say another schedule (LIMITLINE_SCHEDULE); whoever is on duty goes by the one above.',
    );
  return parts.join('\n\n');
}

function taskLines(
  { task, does, entries, otherwise, nextMs, last, lastWell, underWay }: ScheduledTask,
  nowMs: number,
): string[] {
  const lines = [`${task}   ${does}`];
  lines.push(`  when   ${entries.length === 0 ? otherwise : entries.map(({ words }) => words).join('; ')}`);
  if (nextMs !== undefined) lines.push(`  next   ${inUtc(nextMs)}, in ${aboutWords(nextMs - nowMs)}`);
  if (underWay)
    lines.push(`  now    under way since ${inUtc(underWay.sinceMs)}, on ${underWay.host}, by ${underWay.by}`);
  if (!last) return [...lines, '  last   it never ran'];
  lines.push(`  last   ${inUtc(last.endedMs)}: ${last.is === 'failed' ? 'FAILED. ' : ''}${last.words}`);
  if (last.is === 'failed') lines.push(`         it went well last: ${lastWell ? inUtc(lastWell.endedMs) : 'never'}`);
  return lines;
}

function inUtc(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** In the largest unit with at least two. */
function aboutWords(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000));
  if (minutes < 120) return counted(minutes, 'minute');
  const hours = Math.round(minutes / 60);
  return hours < 48 ? counted(hours, 'hour') : counted(Math.round(hours / 24), 'day');
}
