import type { InboxSource } from '../inbox/inbox-deps.ts';
import { cutAuditTask } from './cut-audit.ts';
import { inboxTask } from './inbox-task.ts';
import { type ReconcileTaskDeps, reconcileTask } from './reconcile-task.ts';
import { type RetryDeps, retryTask } from './retry-by-rules.ts';
import type { NightlyTask } from './task.ts';

export type TaskDeps = Parameters<typeof cutAuditTask>[0] & ReconcileTaskDeps & InboxSource & RetryDeps;

/** What the schedule may name: one {@link NightlyTask} each. */
export function nightlyTasks(deps: TaskDeps): readonly NightlyTask[] {
  return [cutAuditTask(deps), inboxTask(deps), retryTask(deps), reconcileTask(deps)];
}
