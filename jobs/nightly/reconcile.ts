import type { Calls } from '../../src/ledger/calls.ts';
import type { FoundItem } from '../../src/ledger/nightly/checks.ts';
import { checkLedger, type LedgerCheckDeps } from './ledger/index.ts';

type ReconcileDeps = LedgerCheckDeps & { calls: Pick<Calls, 'madeTwice'> };

/** Something that was not as it should be, and what was done about it. */
export type Finding = { portfolio: string; finding: string; rows: number };

/**
 * Compares all that is kept with the rows, which are the truth, and mends what is certain; and tells what was made twice. Findings
 * of one portfolio in the same words are one.
 */
export async function reconcile(
  deps: ReconcileDeps,
  { signal = new AbortController().signal, lookAgainMs }: { signal?: AbortSignal; lookAgainMs?: number } = {},
): Promise<Finding[]> {
  const findings = new Map<string, Finding>();
  const found = ({ portfolio, says, rows = 1 }: Pick<FoundItem, 'portfolio' | 'says' | 'rows'>): void => {
    const known = findings.get(`${portfolio}/${says}`);
    findings.set(`${portfolio}/${says}`, { portfolio, finding: says, rows: (known?.rows ?? 0) + rows });
  };
  for (const { kind, id, again, row } of await deps.calls.madeTwice()) {
    found({ portfolio: row.split('/')[0] ?? '', says: `a ${kind} was made twice: ${id} and ${again}` });
  }
  await checkLedger(deps, { sink: { found }, signal, ...(lookAgainMs !== undefined && { lookAgainMs }) });
  await deps.portfolios.noteReconciled(findings.size);
  return [...findings.values()];
}
