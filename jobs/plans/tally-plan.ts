import { Big } from 'big.js';
import type { CallKind } from '../../src/call-kind.ts';
import type { Calls } from '../../src/ledger/calls.ts';
import type { Plan, PlanAction } from '../../src/ledger/plans/plan.ts';
import { documentKey } from '../rows/document-key.ts';
import type { FoundRow } from '../rows/walk-rows.ts';

/** What is counted of the rows of a plan. */
export type Tally = Pick<Plan, 'rows' | 'sum' | 'calls' | 'made'>;

/**
 * Adds rows up, and the calls that sending them leads to: each thing once, however many rows name it, and none that is made
 * already. Only for some thousands of rows: the names of their things stand in memory.
 */
export function makeTally(action: PlanAction, { calls }: { calls: Pick<Calls, 'madeId'> }) {
  let [rows, sum] = [0, new Big(0)];
  const things: Record<CallKind, Set<string>> = { company: new Set(), document: new Set(), limit: new Set() };

  async function look(kind: CallKind): Promise<{ calls: number; made: number }> {
    const keys = [...things[kind]];
    const ids = await Promise.all(keys.map((key) => calls.madeId({ kind, key })));
    const made = ids.filter((id) => id !== undefined).length;
    return { calls: keys.length - made, made };
  }

  return {
    add({ row, result: { step, request, companyId } }: FoundRow): void {
      rows += 1;
      sum = sum.plus(request.limit.requested_limit);
      if (action === 'cancel') return;
      things.limit.add(row.key);
      // A company that the line itself named is no thing of ours.
      if (request.companyId === undefined && (step === 'company' || companyId !== ''))
        things.company.add(request.buyer);
      for (const document of request.documents) things.document.add(documentKey(document));
    },
    count: () => rows,
    async result(): Promise<Tally> {
      const [company, document, limit] = [await look('company'), await look('document'), await look('limit')];
      return {
        rows,
        sum: sum.toFixed(),
        calls: { company: company.calls, document: document.calls, limit: limit.calls },
        made: { company: company.made, document: document.made, limit: limit.made },
      };
    },
  };
}
