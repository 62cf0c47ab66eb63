import { cutAuditTask } from './cut-audit.ts';
import { type ReconcileTaskDeps, reconcileTask } from './reconcile-task.ts';
import { type RetryDeps, retryTask } from './retry-by-rules.ts';
import type { NightlyTask } from './task.ts';

export type TaskDeps = Parameters<typeof cutAuditTask>[0] & ReconcileTaskDeps & RetryDeps;

/** What the schedule may name: one {@link NightlyTask} each. */
export function nightlyTasks(deps: TaskDeps): readonly NightlyTask[] {
  return [cutAuditTask(deps), inboxTask, retryTask(deps), reconcileTask(deps)];
}

const inboxTask: NightlyTask = {
  name: 'inbox',
  words: 'takes in what the drop folder holds',
  run: async () => ({ is: 'well', words: 'There is no drop folder (LIMITLINE_INBOX is not set).' }),
};
