import type { Audit } from '../../src/audit/audit.ts';
import type { Cut } from '../../src/audit/audit-trail.ts';
import { counted } from '../../src/counted.ts';
import type { TakenFile } from '../../src/ledger/inbox/inbox.ts';
import type { InboxSource } from '../inbox/inbox-deps.ts';
import { type TakenIn, takeInOnce } from '../inbox/take-in.ts';
import { type ArchiveTaskDeps, archiveOld } from './archive-task.ts';
import { type ReconcileDeps, reconcile } from './reconcile.ts';
import { type RetryDeps, retryByRules } from './retry-by-rules.ts';
import type { Night, NightlyTask, NightResult } from './run-task.ts';

type TaskDeps = CutDeps & ReconcileTaskDeps & InboxSource & RetryDeps & ArchiveTaskDeps;

/** All tasks that the schedule may name. */
export function nightlyTasks(deps: TaskDeps): readonly NightlyTask[] {
  return [
    {
      name: 'audit',
      words: 'cuts off audit entries that need not be kept any longer',
      run: (night) => cutAudit(deps, night),
    },
    { name: 'inbox', words: 'takes in what lies in the drop folder', run: (night) => takeInDropped(deps, night) },
    { name: 'retry', words: 'sends refused rows again that a rule names', run: (night) => retryByRules(night, deps) },
    {
      name: 'reconcile',
      words: 'compares files, rows, calls, counts and queues, and mends what is certain',
      run: (night) => reconcileOf(night, deps),
    },
    {
      name: 'archive',
      words: 'takes portfolios that finished long ago out of Redis, into files',
      run: (night) => archiveOld(night, deps),
    },
  ];
}

type ReconcileTaskDeps = ReconcileDeps & { audit: Pick<Audit, 'note'>; from: string };

/** The nightly check. */
async function reconcileOf(night: Night, deps: ReconcileTaskDeps): Promise<NightResult> {
  const result = await reconcile(deps, night);
  // Written afterwards, because nobody asked for these repairs: they are done already.
  if (result.is === 'findings') {
    const facts = { report: result.report, words: result.words };
    await deps.audit.note({ by: night.by, what: 'ledger reconciled', from: deps.from, facts });
  }
  return result;
}

type CutDeps = {
  audit: { cut(given: { beforeMs: number; by: string; from: string }): Promise<Cut | undefined> };
  /** `LIMITLINE_AUDIT_DAYS`; without it, nothing is cut off. */
  days: number | undefined;
  from: string;
};

const DAY_MS = 86_400_000;

/** Cuts off audit entries that are older than they have to be kept, and leaves a checkpoint. */
async function cutAudit({ audit, days, from }: CutDeps, { by }: Night): Promise<NightResult> {
  if (days === undefined) {
    return { is: 'well', words: 'All audit entries are kept (LIMITLINE_AUDIT_DAYS is not set).' };
  }
  const cut = await audit.cut({ beforeMs: Date.now() - days * DAY_MS, by, from });
  if (!cut) return { is: 'well', words: `No audit entry is older than ${days} days.` };
  return { is: 'well', words: `Audit entries older than ${days} days were cut off, up to number ${cut.upTo}.` };
}

/** Imports the files in the drop folder: the task `inbox`. */
export async function takeInDropped(source: InboxSource, { signal }: Pick<Night, 'signal'>): Promise<NightResult> {
  if (source.settings.LIMITLINE_INBOX === undefined) {
    return { is: 'well', words: 'There is no drop folder (LIMITLINE_INBOX is not set).' };
  }
  return inboxResult(await takeInOnce(source, { signal }));
}

/** The result of a pass. Findings are rejected files, lines without a row, and files that nobody takes. */
export function inboxResult({ files, lying, results, isElsewhere }: TakenIn): NightResult {
  if (isElsewhere) return { is: 'well', words: 'Another process is taking in what lies in the drop folder.' };
  const of = (is: TakenFile['is']) => files.filter((file) => file.is === is);
  const [imported, again, rejected] = [of('imported'), of('again'), of('rejected')];
  const bad = imported.reduce((sum, { found }) => sum + (found ? found.invalid + found.duplicate : 0), 0);
  const stuck = lying.filter(({ leftMs }) => leftMs === undefined);
  const parts = [
    imported.length > 0 && `${counted(imported.length, 'file')} imported`,
    bad > 0 && `${counted(bad, 'line')} led to no row`,
    again.length > 0 && `${counted(again.length, 'file')} imported before`,
    rejected.length > 0 && `${counted(rejected.length, 'file')} rejected`,
    stuck.length > 0 && `${counted(stuck.length, 'file')} could not be taken in yet`,
    lying.length > stuck.length && `${counted(lying.length - stuck.length, 'file')} still being written`,
    results.length > 0 && `results of ${counted(results.length, 'portfolio')} left`,
  ].filter((part) => part !== false);
  const isBad = bad > 0 || rejected.length > 0 || stuck.length > 0;
  const words = parts.length === 0 ? 'Nothing lay in the drop folder.' : `Drop folder: ${parts.join(', ')}.`;
  return { is: isBad ? 'findings' : 'well', words };
}
