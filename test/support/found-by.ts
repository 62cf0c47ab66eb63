import { lookThrough, type NightCheckDeps } from '../../jobs/nightly/reconcile.ts';
import { CHECKS, type FoundItem } from '../../src/ledger/nightly/checks.ts';
import { makeFindingGroups } from '../../src/ledger/nightly/group-findings.ts';

/** What a look through all that is kept finds wrong with it, or made twice: what finance wants to know besides is left out, unless that is asked for. */
export async function foundBy(
  deps: NightCheckDeps,
  { finance = false, ...how }: { lookAgainMs?: number; finance?: boolean } = {},
): Promise<{ portfolio: string; finding: string; rows: number }[]> {
  const groups = makeFindingGroups();
  const isOfLedger = ({ check }: FoundItem) => finance || CHECKS[check].kind === 'ledger' || check === 'made twice';
  await lookThrough(
    deps,
    { found: (item) => void (isOfLedger(item) && groups.add(item)) },
    { atMs: Date.now(), signal: new AbortController().signal, ...how },
  );
  return groups.result().findings.map(({ portfolio, finding, rows }) => ({ portfolio, finding, rows }));
}
