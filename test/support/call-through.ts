import type { UnknownPolicy } from '../../src/config.ts';
import type { AtMostOnce } from '../../src/ledger/at-most-once.ts';
import type { Thing } from '../../src/ledger/verdicts.ts';
import type { Sent, Settled } from '../../src/outcome.ts';

/** Makes a call as a step does, with no pace before it: claim, send, settle. */
export async function callThrough(
  atMostOnce: AtMostOnce,
  thing: Thing & { buyer: string },
  { onUnknown, send }: { onUnknown: UnknownPolicy; send: (first: string) => Promise<Sent> },
): Promise<Settled> {
  const claim = await atMostOnce.claim(thing, onUnknown);
  if (claim.is !== 'go') return claim;
  const sent = await send(claim.first).catch(claim.giveBack);
  return claim.settle(sent);
}
