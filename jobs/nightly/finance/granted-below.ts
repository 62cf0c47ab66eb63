import { Big } from 'big.js';
import type { FoundItem } from '../../../src/ledger/nightly/checks.ts';
import type { WalkedRow } from '../row-check.ts';
import { rowItem } from './row-item.ts';

/**
 * Finds a limit of which less was granted than requested; pure. A request that was made before (`skipped`) is not told of again: the
 * row that made it is. Where nobody knows what was granted, as of an id that a person named, there is nothing to compare.
 */
export function grantedBelow(walked: WalkedRow): FoundItem | undefined {
  const { state, record, request, limitId } = walked.result;
  if (state !== 'done') return undefined;
  const { total_limit: granted } = record;
  const { requested_limit: requested } = request.limit;
  // As most answers have it, and then nothing is to be read.
  if (granted === undefined || granted === requested) return undefined;
  const amount = readAmount(granted);
  const more = { granted, detail: limitId };
  if (!amount) return rowItem('granted below', walked, 'the answer says an amount that cannot be read', more);
  if (!amount.lt(requested)) return undefined;
  return rowItem('granted below', walked, amount.lte(0) ? 'nothing was granted' : 'less than requested', more);
}

/** More digits than any amount; an answer may be anything. */
const MOST_CHARACTERS = 100;

function readAmount(text: string): Big | undefined {
  // Larger exponents than these take time, and are no money.
  if (text.length > MOST_CHARACTERS || /e[+-]?\d{3}/i.test(text)) return undefined;
  try {
    return new Big(text);
  } catch {
    return undefined;
  }
}
