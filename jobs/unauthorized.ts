import { LimitlineError, messageOf } from '../src/errors.ts';
import type { Sent } from '../src/ledger/at-most-once.ts';
import type { CallKind } from '../src/ledger/keys.ts';
import type { Log } from '../src/log.ts';
import type { Blame, Doors } from '../src/pace/doors.ts';
import type { Answered, ServiceClient } from '../src/service/client.ts';
import { orStopped, waitFor } from './wait-for.ts';

export type Unauthorized = ReturnType<typeof makeUnauthorized>;

/** Others have this long to show that the token is good, twice as long each time: calls of a step come every second or so. */
const FIRST_WAIT_MS = 1_000;
/** While others show that the credentials are good, this call alone waits, and costs next to nothing. */
const LONGEST_WAIT_MS = 8_000;

/**
 * What becomes of a call that is answered 401. The first time its token may simply have come to its end: it is renewed, and
 * the call comes again. Then it is either the credentials' fault, which every call would meet, or this call's own: it waits
 * and is tried again until that can be told, and nobody waits with it. Only its own makes its row refused.
 *
 * @param wish the call; one of these serves it until it has ended
 */
export function makeUnauthorized(
  { kind, key, onTokenCall }: { kind: CallKind; key: string; onTokenCall: () => void },
  { service, doors, log }: { service: ServiceClient; doors: Doors; log: Log },
) {
  /** How often blame was asked for; below that, the first 401 is still to come. */
  let asked = -1;
  let [token, tokenSentAtMs, firstSentAtMs] = ['', 0, 0];
  let unwanted: string | undefined;
  let waitMs = 0;

  const blame = (): Promise<Blame> =>
    doors.blame({ kind, key }, { token, sentAtMs: tokenSentAtMs, firstSentAtMs, asked }).catch((error) => {
      log.warn({ reason: messageOf(error) }, 'it cannot be told whose fault a 401 is; trying again');
      return 'wait';
    });

  return {
    /**
     * Says what a 401 means for the call's claim: given back, to come again, or refused.
     *
     * @throws LimitlineError `CREDENTIALS` where every call would meet it
     */
    async judge(answer: Extract<Answered, { meaning: 'unauthorized' }>, sentAtMs: number): Promise<Sent> {
      const nothing = { meaning: 'unreachable', heard: 'status 401' } as const;
      if (answer.token !== token) [token, tokenSentAtMs] = [answer.token, sentAtMs];
      asked += 1;
      if (asked === 0) {
        firstSentAtMs = sentAtMs;
        unwanted = token;
        return nothing;
      }
      const whose = await blame();
      if (whose === 'row') return { meaning: 'refused', status: answer.status, body: answer.body };
      if (whose === 'wait') {
        waitMs = Math.min(FIRST_WAIT_MS * 2 ** (asked - 1), LONGEST_WAIT_MS);
        // Twice the same token: it may have come to its end as well by now.
        if (asked % 2 === 0) unwanted = token;
        return nothing;
      }
      // From the beginning, once they are mended.
      asked = -1;
      throw new LimitlineError(
        'CREDENTIALS',
        `The service answers 401 to a ${kind} call with a token that it has just granted; check that SERVICE_CLIENT_ID may use invoice financing and that SERVICE_URL belongs to it.`,
      );
    },

    /** Sees to another token after the first 401. Rejects with `CREDENTIALS` or `SERVICE` where there is none, or `STOPPED`. */
    async renew(signal: AbortSignal): Promise<void> {
      if (unwanted === undefined) return;
      const refused = unwanted;
      unwanted = undefined;
      await orStopped(service.renewToken(refused, onTokenCall), signal);
    },

    /** Lets time pass where others are to show something meanwhile. Rejects with `STOPPED` as all waits do. */
    async pause(signal: AbortSignal): Promise<void> {
      if (waitMs === 0) return;
      const ms = waitMs;
      waitMs = 0;
      await waitFor(ms, signal);
    },
  };
}
