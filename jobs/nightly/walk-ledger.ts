import type { RowWalks } from '../../src/ledger/nightly/row-walk.ts';
import { WALKED_STATES } from '../../src/ledger/nightly/row-walk.ts';
import type { Portfolios } from '../../src/ledger/portfolios.ts';
import type { RowCheck } from './row-check.ts';

export type WalkDeps = { portfolios: Pick<Portfolios, 'names'>; walkRows: RowWalks };

/**
 * Goes once over all rows of the account, portfolio by portfolio, and shows each to all checks, while anybody may import, work and
 * mend. A row that is there all the time comes at least once, whatever becomes of it meanwhile; one that goes on may come twice, the
 * second time as it is then. Rows that stand in no index of a state are not met: the ledger's own check brings those back.
 *
 * @param signal ends the walk between two pages; what was shown until then stays shown
 * @throws the signal's reason when it is aborted
 */
export async function walkLedger(
  { portfolios, walkRows }: WalkDeps,
  checks: readonly RowCheck[],
  { signal }: { signal: AbortSignal },
): Promise<{ rows: number }> {
  let rows = 0;
  for (const portfolio of await portfolios.names()) {
    for (const state of WALKED_STATES) {
      for await (const page of walkRows({ portfolio, state })) {
        signal.throwIfAborted();
        rows += page.length;
        for (const walked of page) {
          for (const check of checks) {
            // Most checks answer at once: a million times nothing is waited for.
            const looked = check.row(walked);
            if (looked) await looked;
          }
        }
      }
    }
    for (const { endPortfolio } of checks) await endPortfolio?.(portfolio);
  }
  for (const { end } of checks) await end?.();
  return { rows };
}
