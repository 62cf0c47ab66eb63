import type { OnDuty } from '../../../ledger/calls/fleet.ts';
import type { RunEnd, RunUnderWay } from '../../../ledger/nightly/nightly-runs.ts';
import type { TaskName } from '../../../schedule/schedule.ts';
import { countWords, type Html, html, t } from '../../html/html.ts';
import { notice, table } from '../../parts/blocks.ts';
import { actionButton } from '../../parts/form.ts';
import { advice, commandLine, moment, timeAgo } from '../../parts/text.ts';

/** One task of the schedule: when it runs, and how it went. */
export type ScheduledTask = {
  task: TaskName;
  /** A short description of the task. */
  does: string;
  entries: readonly { pattern: string; tz: string; words: string }[];
  /** When the task runs if no entry of the schedule names it. */
  otherwise: string;
  nextMs: number | undefined;
  last: RunEnd | undefined;
  /** The last run that ended without failing, with findings or without. */
  lastWell: RunEnd | undefined;
  underWay: RunUnderWay | undefined;
};

export type ScheduleFacts = {
  tasks: readonly ScheduledTask[];
  /** The processes that run the schedule; without any, nothing runs by itself. */
  onDuty: readonly OnDuty[];
  /** Whether this process's settings differ from the schedule in force. */
  isOther: boolean;
  nowMs: number;
};

const TASK_NAMES: Readonly<Record<TaskName, string>> = {
  audit: t`Shorten the audit trail`,
  inbox: t`Take in dropped files`,
  reconcile: t`Check all records`,
  retry: t`Send rejected rows again`,
  archive: t`Archive old portfolios`,
};

export type ScheduleFunctions = {
  look: () => Promise<ScheduleFacts>;
  /** Asks for a run of the task now, in this person's name and from their address. The run waits until a process is on duty. */
  run: (task: TaskName, asker: { by: string; from: string }) => Promise<void>;
};

/**
 * The schedule: when each task runs, how it went last, and which processes are on duty.
 *
 * @param rights.asked the task that the person has just asked for, from the address, unchecked
 */
export function scheduleSection(
  facts: ScheduleFacts,
  { csrf, mayRun, asked }: { csrf: string; mayRun: boolean; asked?: string | undefined },
): Html {
  const { tasks, onDuty, isOther, nowMs } = facts;
  const task = tasks.find((one) => one.task === asked);
  const toRun = (one: ScheduledTask) => runButton(one, csrf);
  return html`${onDuty.length === 0 && nobodyOnDuty()}
    ${task && askedNotice(task, onDuty.length > 0)}
    ${table({
      caption: t`What runs at night`,
      rows: tasks,
      columns: [
        { head: t`Task`, names: true, cell: nameOf },
        { head: t`When`, cell: whenOf },
        { head: t`Next run`, cell: ({ nextMs }) => moment(nextMs) },
        { head: t`Last run`, cell: (one) => lastOf(one, nowMs) },
        ...(mayRun ? [{ head: t`Run now`, kind: 'actions' as const, cell: toRun }] : []),
      ],
    })}
    ${onDuty.length > 0 && html`<p class="quiet">${onDutyWords(onDuty)}${isOther && ` ${OTHER_WORDS}`}</p>`}`;
}

const OTHER_WORDS = t`This console is set to another schedule; the one shown is in force.`;

function askedNotice({ task, underWay }: ScheduledTask, isSomebodyThere: boolean): Html {
  const words = !isSomebodyThere
    ? t`It waits until a process that runs these tasks is started.`
    : underWay
      ? t`It runs now.`
      : t`It begins as soon as no other task runs. Load the page again for its result.`;
  return notice('info', words, { title: t`You started “${TASK_NAMES[task]}”.` });
}

/** Says that no process runs the schedule, and so nothing happens at night. */
export function nobodyOnDuty(): Html {
  const words = html`Nothing runs by itself until an operator starts the process for it. ${commandLine('npx limitline nightly --wait')}`;
  return notice('bad', words, { title: t`The nightly tasks do not run.` });
}

function onDutyWords(onDuty: readonly OnDuty[]): string {
  const hosts = [...new Set(onDuty.map(({ host }) => host))].join(', ');
  return t`${countWords(onDuty.length, 'process', 'processes')} on ${hosts} ${onDuty.length === 1 ? t`runs` : t`run`} these tasks.`;
}

function nameOf({ task, does }: ScheduledTask): Html {
  return html`<div>${TASK_NAMES[task]}<span class="under">${advice(does)}</span></div>`;
}

function whenOf({ entries, otherwise }: ScheduledTask): Html {
  if (entries.length === 0) return advice(otherwise);
  return html`<div>${entries.map(({ words }) => html`<div>${words}</div>`)}</div>`;
}

function lastOf({ last, lastWell, underWay }: ScheduledTask, nowMs: number): Html {
  if (underWay)
    return html`<div>running since ${moment(underWay.sinceMs)}<span class="under">on ${underWay.host}, by ${underWay.by}</span></div>`;
  if (!last) return html`never`;
  const words =
    last.is === 'failed' ? html`<strong class="is-bad">Failed.</strong> ${advice(last.words)}` : advice(last.words);
  const before =
    last.is === 'failed'
      ? html`<span class="under">Last success: ${moment(lastWell?.endedMs, { none: t`never` })}</span>`
      : '';
  return html`<div>${timeAgo(last.endedMs, { nowMs })}: ${words}${before}</div>`;
}

function runButton({ task, underWay }: ScheduledTask, csrf: string): Html {
  if (underWay) return html``;
  return actionButton({
    action: `/nightly/run/${task}`,
    csrf,
    words: t`Run now`,
    label: t`Run now: ${TASK_NAMES[task]}`,
    command: `npx limitline schedule run ${task}`,
  });
}
