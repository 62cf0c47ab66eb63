import type { Audit } from '../../src/audit/audit.ts';
import type { Cut } from '../../src/audit/retention.ts';
import type { InboxSource } from '../inbox/inbox-deps.ts';
import { type ArchiveTaskDeps, archiveTask } from './archive-task.ts';
import { inboxTask } from './inbox-task.ts';
import { type ReconcileDeps, reconcile } from './reconcile.ts';
import { type RetryDeps, retryTask } from './retry-by-rules.ts';
import type { Night, NightlyTask, NightResult } from './task.ts';

export type TaskDeps = Parameters<typeof cutAuditTask>[0] &
  ReconcileTaskDeps &
  InboxSource &
  RetryDeps &
  ArchiveTaskDeps;

/** What the schedule may name: one {@link NightlyTask} each. */
export function nightlyTasks(deps: TaskDeps): readonly NightlyTask[] {
  return [cutAuditTask(deps), inboxTask(deps), retryTask(deps), reconcileTask(deps), archiveTask(deps)];
}

type ReconcileTaskDeps = ReconcileDeps & { audit: Pick<Audit, 'note'>; from: string };

/** The nightly check. */
function reconcileTask(deps: ReconcileTaskDeps): NightlyTask {
  return {
    name: 'reconcile',
    words: 'compares files, rows, calls, counts and queues, and mends what is certain',
    run: (night) => reconcileOf(night, deps),
  };
}

async function reconcileOf(night: Night, deps: ReconcileTaskDeps): Promise<NightResult> {
  const result = await reconcile(deps, night);
  // What was found is mended already: it was nobody's wish, and is written down behind it.
  if (result.is === 'findings') {
    const facts = { report: result.report, words: result.words };
    await deps.audit.note({ by: night.by, what: 'ledger reconciled', from: deps.from, facts });
  }
  return result;
}

type CutDeps = {
  audit: { cut(given: { beforeMs: number; by: string; from: string }): Promise<Cut | undefined> };
  /** `LIMITLINE_AUDIT_DAYS`; where it is not set, nothing is ever cut off. */
  days: number | undefined;
  from: string;
};

const DAY_MS = 86_400_000;

/** Cuts off what of the audit trail is older than it has to be kept, behind a checkpoint. */
function cutAuditTask(deps: CutDeps): NightlyTask {
  return {
    name: 'audit',
    words: 'cuts off audit entries that need not be kept any longer',
    run: (night) => cutAudit(deps, night),
  };
}

async function cutAudit({ audit, days, from }: CutDeps, { by }: Night): Promise<NightResult> {
  if (days === undefined) {
    return { is: 'well', words: 'All audit entries are kept (LIMITLINE_AUDIT_DAYS is not set).' };
  }
  const cut = await audit.cut({ beforeMs: Date.now() - days * DAY_MS, by, from });
  if (!cut) return { is: 'well', words: `No audit entry is older than ${days} days.` };
  return { is: 'well', words: `Audit entries older than ${days} days were cut off, up to number ${cut.upTo}.` };
}
