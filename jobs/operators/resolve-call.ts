import { commandLineActor } from '../../src/actor.ts';
import type { ResolveAnswer } from '../../src/ledger/calls/calls.ts';
import { callsOf } from '../rows/calls-of.ts';
import type { FoundRow } from '../rows/walk-rows.ts';
import type { FreeDeps } from './free-held.ts';
import { callName } from './id-faults.ts';

/**
 * Resolves one call of a held row: the call named, or the first in doubt of its step. Does nothing to a call that was sent
 * again and lost after `asOfMs`, when the person looked.
 */
export async function resolveCallOf(
  found: FoundRow,
  {
    made,
    by = commandLineActor(),
    asOfMs,
    of,
    approval,
  }: {
    made?: string | undefined;
    by?: string | undefined;
    asOfMs?: number | undefined;
    of?: string | undefined;
    approval?: string;
  },
  { calls }: Pick<FreeDeps, 'calls'>,
): Promise<ResolveAnswer> {
  const [first, ...others] = callsOf(found).filter((call) => of === undefined || callName(call) === of);
  if (!first) return 'not unknown';
  const said = { by, row: found.row, asOfMs, approval };
  return await calls.resolve([first, ...others], found.result.request.buyer, made, said);
}
