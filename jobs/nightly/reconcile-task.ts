import type { Audit } from '../../src/audit/audit.ts';
import { type ReconcileDeps, reconcile } from './reconcile.ts';
import type { Night, NightlyTask, NightResult } from './task.ts';

export type ReconcileTaskDeps = ReconcileDeps & { audit: Pick<Audit, 'note'>; from: string };

/** The nightly check. */
export function reconcileTask(deps: ReconcileTaskDeps): NightlyTask {
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
