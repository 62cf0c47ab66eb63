import type { Calls } from '../../src/ledger/calls/calls.ts';
import type { Thing } from '../../src/ledger/calls/claim-answers.ts';
import { callsOf } from '../rows/calls-of.ts';
import type { FoundRow } from '../rows/walk-rows.ts';

/** A call of a held row. */
export type CallInDoubt = Pick<Thing, 'kind' | 'key'>;

/**
 * The first of the step's calls whose outcome is unknown: the one that a word on the row speaks of, whatever is answered until it is
 * believed. Where none is unknown any more the row goes on by itself.
 */
export async function callInDoubt(
  found: FoundRow,
  { calls }: { calls: Pick<Calls, 'isUnknown'> },
): Promise<CallInDoubt | undefined> {
  const all: CallInDoubt[] = callsOf(found);
  for (const call of all) {
    if (await calls.isUnknown(call)) return call;
  }
  return all[0];
}
