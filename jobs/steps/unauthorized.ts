import { type CallKind, KINDS, type Sent } from '../../src/call-kind.ts';
import { LimitlineError, messageOf } from '../../src/errors.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { type RowState, rowsIn, STEPS } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import type { Log } from '../../src/log.ts';
import type { Blame, Breakers } from '../../src/pace/breakers.ts';
import type { Answered, ServiceClient } from '../../src/service/client.ts';
import { mayGoOn } from '../rows/feed.ts';
import { orStopped, waitFor } from './wait-for.ts';

export type Unauthorized = ReturnType<typeof makeUnauthorized>;

/**
 * How long a call waits after a 401 before it is tried again, in ms. A step sends about one call a second or more, so meanwhile another call
 * may have shown that the token works. Each further wait is twice as long.
 */
const FIRST_WAIT_MS = 1_000;
/**
 * The longest wait before a call is tried again after a 401, in ms. This call alone waits while others pass, so further attempts cost
 * little.
 */
const LONGEST_WAIT_MS = 8_000;

/**
 * Handles 401 responses to one call until the call has ended. After the first 401 the token is renewed, since it may have expired. A further
 * one means that the credentials are wrong, for every call, or that the service refuses this call alone. The call waits and is tried again,
 * alone, until src/pace/lua/breakers.lua decides which. The row is refused only if this call alone is. If other rows are due but none calls,
 * they may need this row's worker, and the row gives its worker to them for a while.
 */
export function makeUnauthorized(
  { kind, key, row, onTokenCall }: { kind: CallKind; key: string; row: RowId; onTokenCall: () => void },
  options: { service: ServiceClient; breakers: Breakers; portfolios: Portfolios; log: Log },
) {
  const { service, breakers, portfolios, log } = options;
  /** How often src/pace/lua/breakers.lua was asked whose fault the 401 responses are; -1 before the first 401. */
  let asked = -1;
  let [token, tokenSentAtMs, firstSentAtMs] = ['', 0, 0];
  let unwanted: string | undefined;
  /** A token fetched for a permit that then expired: the next permit must fetch another. */
  let unused: string | undefined;
  let waitMs = 0;
  let asideMs = 0;
  let timesAside = 0;

  const suspicion = (othersOpen: boolean) => ({ token, sentAtMs: tokenSentAtMs, firstSentAtMs, asked, othersOpen });

  const blame = async (): Promise<Blame> => {
    try {
      return await breakers.blame({ kind, key }, suspicion(await areOthersOpen(kind, row, portfolios)));
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'the cause of a 401 could not be determined; trying again');
      return 'wait';
    }
  };

  return {
    /**
     * Decides what a 401 means for the claim: given back for another attempt, or refused.
     *
     * @throws LimitlineError `CREDENTIALS` if every call would get it
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
      // The 401 responses are counted anew after somebody has corrected the credentials.
      asked = -1;
      const message = `The service answers 401 to a ${kind} call with a token that it has just granted; check that SERVICE_CLIENT_ID may use invoice financing and that SERVICE_URL belongs to it.`;
      throw new LimitlineError('CREDENTIALS', message);
    },

    /** Renews the token after the first 401. Rejects with `CREDENTIALS` or `SERVICE` if there is none, or with `STOPPED`. */
    async renew(signal: AbortSignal): Promise<void> {
      if (unwanted === undefined) return;
      const refused = unwanted;
      unwanted = undefined;
      await orStopped(service.renewToken(refused, onTokenCall), signal);
    },

    /**
     * Renews the token of an admitted call if a new token was refused before: it may expire while the call waits for its permit. Keeps the
     * refused token if other calls have passed with it since: a second refusal then proves the call's own fault.
     */
    async freshen(signal: AbortSignal): Promise<void> {
      if (asked < 1 || (await breakers.isOwnFault({ kind, key }, suspicion(false)))) return;
      unused = await orStopped(service.renewToken(unused ?? token, onTokenCall), signal);
    },

    /** Milliseconds for which the row gives its worker to other rows; 0 for none. A second call returns 0. */
    stepAside(): number {
      const ms = asideMs;
      asideMs = 0;
      return ms;
    },

    /** Waits while other calls may show whose fault a 401 is. Rejects with `STOPPED` if aborted. */
    async pause(signal: AbortSignal): Promise<void> {
      if (waitMs === 0) return;
      const ms = waitMs;
      waitMs = 0;
      await waitFor(ms, signal);
    },
  };
}

const waitAfter = (waits: number): number => Math.min(FIRST_WAIT_MS * 2 ** waits, LONGEST_WAIT_MS);

/** States of rows that are at a call of this kind or may come to it. */
function statesBefore(kind: CallKind): readonly RowState[] {
  return ['queued', ...STEPS.slice(0, STEPS.indexOf(KINDS[kind].step) + 1)];
}

/**
 * Whether rows other than this one are at a call of this kind or may come to it, in any portfolio of the account that may go on. Rows that
 * wait for their portfolio's supplier do not count.
 */
async function areOthersOpen(kind: CallKind, row: RowId, portfolios: Portfolios): Promise<boolean> {
  const open = (await portfolios.open()).filter(mayGoOn);
  const rows = open.map(({ states }) => rowsIn(states, statesBefore(kind)));
  const own = open.some(({ name }) => name === row.portfolio) ? 1 : 0;
  return rows.reduce((sum, count) => sum + count, 0) > own;
}
