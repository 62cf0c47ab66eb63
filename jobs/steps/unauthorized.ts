import { type CallKind, KINDS } from '../../src/call-kind.ts';
import { LimitlineError, messageOf } from '../../src/errors.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { type RowState, rowsIn, STEPS } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import type { Log } from '../../src/log.ts';
import type { Sent } from '../../src/outcome.ts';
import type { Blame, Breakers } from '../../src/pace/breakers.ts';
import type { Answered, ServiceClient } from '../../src/service/client.ts';
import { mayGoOn } from '../rows/feed.ts';
import { orStopped, waitFor } from './wait-for.ts';

export type Unauthorized = ReturnType<typeof makeUnauthorized>;

/** Others have this long to show that the token is good, twice as long each time: calls of a step come every second or so. */
const FIRST_WAIT_MS = 1_000;
/** While others show that the credentials are good, this call alone waits, and costs next to nothing. */
const LONGEST_WAIT_MS = 8_000;

/**
 * What becomes of a call that is answered 401. The first time its token may simply have come to its end: it is renewed, and
 * the call comes again. Then it is either the credentials' fault, which every call would meet, or this call's own: it waits
 * and is tried again until that can be told, and nobody waits with it. Only its own makes its row refused. Where others are
 * still to come and none of them calls, they may be waiting for its worker: then its row steps aside.
 *
 * @param request the call; one of these serves it until it has ended
 */
export function makeUnauthorized(
  { kind, key, row, onTokenCall }: { kind: CallKind; key: string; row: RowId; onTokenCall: () => void },
  {
    service,
    breakers,
    portfolios,
    log,
  }: { service: ServiceClient; breakers: Breakers; portfolios: Portfolios; log: Log },
) {
  /** How often blame was asked for; below that, the first 401 is still to come. */
  let asked = -1;
  let [token, tokenSentAtMs, firstSentAtMs] = ['', 0, 0];
  let unwanted: string | undefined;
  /** A token that was fetched for a permit which then expired. The next permit does not count it as new. */
  let unused: string | undefined;
  let waitMs = 0;
  let asideMs = 0;
  let timesAside = 0;

  const suspicion = (othersOpen: boolean) => ({ token, sentAtMs: tokenSentAtMs, firstSentAtMs, asked, othersOpen });

  const blame = async (): Promise<Blame> => {
    try {
      return await breakers.blame({ kind, key }, suspicion(await areOthersOpen(kind, row, portfolios)));
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'it cannot be told whose fault a 401 is; trying again');
      return 'wait';
    }
  };

  return {
    /**
     * Says what a 401 means for the call's claim: given back, to come again, or refused.
     *
     * @throws LimitlineError `CREDENTIALS` where every call would meet it
     */
    async judge(answer: Extract<Answered, { is: 'unauthorized' }>, sentAtMs: number): Promise<Sent> {
      unused = undefined;
      if (answer.token !== token) [token, tokenSentAtMs] = [answer.token, sentAtMs];
      asked += 1;
      if (asked === 0) {
        firstSentAtMs = sentAtMs;
        unwanted = token;
        return answer;
      }
      const whose = await blame();
      if (whose === 'row') return { is: 'refused', status: answer.status, body: answer.body };
      if (whose === 'wait') {
        waitMs = waitAfter(asked - 1);
        return answer;
      }
      if (whose === 'aside') {
        asideMs = waitAfter(timesAside);
        timesAside += 1;
        return answer;
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

    /**
     * Sees, once the call is admitted, to a token of this very moment where a new one was refused: tokens may live shorter than a call waits for
     * its permit. Where others have passed with that one since, it is tried again: refused once more, it is the call's own fault.
     */
    async freshen(signal: AbortSignal): Promise<void> {
      if (asked < 1 || (await breakers.isOwnFault({ kind, key }, suspicion(false)))) return;
      unused = await orStopped(service.renewToken(unused ?? token, onTokenCall), signal);
    },

    /** For how long the row is to leave its worker to others; 0 where it is not. Says so once. */
    stepAside(): number {
      const ms = asideMs;
      asideMs = 0;
      return ms;
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

function waitAfter(waits: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** waits, LONGEST_WAIT_MS);
}

/** The states of rows that are at a call of this kind, or may come to it. */
function statesBefore(kind: CallKind): readonly RowState[] {
  return ['queued', ...STEPS.slice(0, STEPS.indexOf(KINDS[kind].step) + 1)];
}

/**
 * Whether other rows than this one are at a call of this kind or may come to it, in any portfolio of the account that may go
 * on. A portfolio waits for its supplier, so to that call its own rows are no others.
 */
async function areOthersOpen(kind: CallKind, row: RowId, portfolios: Portfolios): Promise<boolean> {
  const open = (await portfolios.open()).filter(mayGoOn);
  const rows = open.map(({ states }) => rowsIn(states, statesBefore(kind)));
  const own = open.some(({ name }) => name === row.portfolio) ? 1 : 0;
  return rows.reduce((sum, count) => sum + count, 0) > own;
}
