import type { InboxSource } from '../inbox/inbox-deps.ts';
import { type ArchiveTaskDeps, archiveTask } from './archive-task.ts';
import { cutAuditTask } from './cut-audit.ts';
import { inboxTask } from './inbox-task.ts';
import { type ReconcileTaskDeps, reconcileTask } from './reconcile-task.ts';
import { type RetryDeps, retryTask } from './retry-by-rules.ts';
import type { NightlyTask } from './task.ts';

export type TaskDeps = Parameters<typeof cutAuditTask>[0] &
  ReconcileTaskDeps &
  InboxSource &
  RetryDeps &
  ArchiveTaskDeps;

/** What the schedule may name: one {@link NightlyTask} each. */
export function nightlyTasks(deps: TaskDeps): readonly NightlyTask[] {
  return [cutAuditTask(deps), inboxTask(deps), retryTask(deps), reconcileTask(deps), archiveTask(deps)];
}
