import type { InboxSource } from '../inbox/inbox-deps.ts';
import { cutAuditTask } from './cut-audit.ts';
import { inboxTask } from './inbox-task.ts';
import { type ReconcileTaskDeps, reconcileTask } from './reconcile-task.ts';
import type { NightlyTask } from './task.ts';

export type TaskDeps = Parameters<typeof cutAuditTask>[0] & ReconcileTaskDeps & InboxSource;

/** What the schedule may name: one {@link NightlyTask} each. */
export function nightlyTasks(deps: TaskDeps): readonly NightlyTask[] {
  return [cutAuditTask(deps), inboxTask(deps), retryTask, reconcileTask(deps)];
}

const retryTask: NightlyTask = {
  name: 'retry',
  words: 'sends refused rows again that a rule names',
  run: async () => ({ is: 'well', words: 'No rule says that refused rows go again at night.' }),
};
