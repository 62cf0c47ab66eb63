import type { Sent } from '../../src/call-kind.ts';
import type { UnknownPolicy } from '../../src/config.ts';
import type { AfterSettle, AtMostOnce, Ended } from '../../src/ledger/calls/at-most-once.ts';
import type { Thing } from '../../src/ledger/calls/claim-answers.ts';

/**
 * Makes a call like a step, without a pace: claim, send, settle. With `after`, its row moves on in the same script.
 */
export async function callThrough(
  atMostOnce: AtMostOnce,
  thing: Thing & { buyer: string },
  given: {
    onUnknown: UnknownPolicy;
    send: (first: string) => Promise<Sent>;
    after?: ((sent: Sent) => AfterSettle | undefined) | undefined;
  },
): Promise<Ended> {
  const { onUnknown, send, after } = given;
  const claim = await atMostOnce.claim(thing, onUnknown);
  if (claim.is !== 'go') return claim;
  const sent = await send(claim.first).catch(claim.giveBack);
  return claim.settle(sent, after?.(sent));
}
