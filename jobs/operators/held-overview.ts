import { Big } from 'big.js';
import type { Calls } from '../../src/ledger/calls.ts';
import type { Portfolios } from '../../src/ledger/portfolios.ts';
import { STEPS, type Step } from '../../src/ledger/row.ts';
import type { Rows } from '../../src/ledger/rows.ts';
import { walkRows } from '../rows/walk-rows.ts';

/** Held rows of one step, and the sum of what they ask for, as exact decimal text. */
type HeldAtStep = { step: Step; rows: number; requested: string };

/** What is held of a portfolio: rows by step, and perhaps the supplier, which has no row. */
export type HeldOverview = { steps: HeldAtStep[]; supplier: boolean };

/** What resolving all held rows, or those of one step, would be about. Steps at which none is held are left out. */
export async function heldOverview(
  portfolio: string,
  only: Step | undefined,
  { rows, portfolios, calls }: { rows: Rows; portfolios: Portfolios; calls: Calls },
): Promise<HeldOverview> {
  const found = new Map<Step, { rows: number; sum: Big }>();
  await walkRows(rows, portfolio, 'held', async ({ result: { step, request } }) => {
    if (only !== undefined && step !== only) return false;
    const before = found.get(step) ?? { rows: 0, sum: new Big(0) };
    found.set(step, { rows: before.rows + 1, sum: before.sum.plus(request.limit.requested_limit) });
    return false;
  });
  const { supplier } = await portfolios.read(portfolio);
  const mayBe = supplier?.key !== undefined && !supplier.id && (only === undefined || only === 'company');
  const steps = STEPS.flatMap((step) => {
    const at = found.get(step);
    return at ? [{ step, rows: at.rows, requested: at.sum.toFixed() }] : [];
  });
  return { steps, supplier: mayBe && (await calls.isUnknown({ kind: 'company', key: supplier?.key ?? '' })) };
}
