import type { Cut } from '../../src/audit/retention.ts';
import type { Night, NightlyTask, NightResult } from './task.ts';

type CutDeps = {
  audit: { cut(given: { beforeMs: number; by: string; from: string }): Promise<Cut | undefined> };
  /** `LIMITLINE_AUDIT_DAYS`; where it is not set, nothing is ever cut off. */
  days: number | undefined;
  from: string;
};

const DAY_MS = 86_400_000;

/** Cuts off what of the audit trail is older than it has to be kept, behind a checkpoint. */
export function cutAuditTask(deps: CutDeps): NightlyTask {
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
