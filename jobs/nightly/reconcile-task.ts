import type { Audit } from '../../src/audit/audit.ts';
import { counted } from '../../src/counted.ts';
import { reconcile } from './reconcile.ts';
import type { Night, NightlyTask, NightResult } from './task.ts';

export type ReconcileDeps = Parameters<typeof reconcile>[0] & { audit: Pick<Audit, 'note'>; from: string };

/** The nightly check. */
export function reconcileTask(deps: ReconcileDeps): NightlyTask {
  return {
    name: 'reconcile',
    words: 'compares files, rows, calls, counts and queues, and mends what is certain',
    run: (night) => reconcileOf(night, deps),
  };
}

async function reconcileOf({ by }: Night, deps: ReconcileDeps): Promise<NightResult> {
  const findings = await reconcile(deps);
  if (findings.length === 0) return { is: 'well', words: 'Ledger and queues agree.' };
  // What was found is mended already: it was nobody's wish, and is written down behind it.
  const facts = { findings: findings.map(({ portfolio, finding, rows }) => ({ portfolio, finding, rows })) };
  await deps.audit.note({ by, what: 'ledger reconciled', from: deps.from, facts });
  return { is: 'findings', words: `The check has ${counted(findings.length, 'finding')}; see the audit trail.` };
}
