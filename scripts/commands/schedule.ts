import { Argument, type Command } from 'commander';
import { commandLineActor } from '../../src/actor.ts';
import type { Context } from '../../src/context.ts';
import { TASKS, type TaskName } from '../../src/schedule/schedule.ts';
import { commandLineFrom } from '../audit/audit-command.ts';
import { type NightEnd, nightWords, runNights, statusOf } from '../nightly/run-nights.ts';
import { readScheduleFacts, scheduleTable } from '../nightly/schedule-table.ts';
import { withContext } from '../opening/on-portfolio.ts';
import { abortOnSignal } from '../process/long-running.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `limitline schedule`: nightly tasks with their next run and last result. `schedule run TASK` runs one now. */
export function register(program: Command, terminal: Terminal): void {
  const schedule = program.command('schedule').action(() => withContext((context) => show(context, terminal)));
  schedule
    .command('run')
    .description('run a task of the schedule now, and wait for its end')
    .addArgument(new Argument('<task>', 'the task').choices(TASKS))
    .action(async (task: TaskName) => {
      const ends = await withContext((context) => runNow(task, context));
      terminal.print(nightWords(ends), { runs: ends });
      process.exitCode = statusOf(ends);
    });
}

async function show(context: Context, terminal: Terminal): Promise<void> {
  const facts = await readScheduleFacts(context);
  const { tasks, onDuty, isOther } = facts;
  terminal.print(scheduleTable(facts), {
    account: context.account,
    tasks: tasks.map(({ nextMs, last, lastWell, underWay, ...task }) => ({
      ...task,
      next: nextMs === undefined ? null : new Date(nextMs).toISOString(),
      last: last ?? null,
      lastWell: lastWell ?? null,
      underWay: underWay ?? null,
    })),
    onDuty,
    settingsDiffer: isOther,
  });
}

async function runNow(task: TaskName, context: Context): Promise<NightEnd[]> {
  const atMs = Date.now();
  const { signal, forget } = abortOnSignal(() => new Error('this process stops'));
  try {
    const night = { task, id: new Date(atMs).toISOString(), atMs, by: commandLineActor(), from: commandLineFrom() };
    return await runNights([night], context, { signal });
  } finally {
    forget();
  }
}
