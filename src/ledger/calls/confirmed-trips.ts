import { createHash } from 'node:crypto';
import { messageOf } from '../../errors.ts';
import { endMisfit, type RedisConnection, scriptText } from '../../lua-script.ts';
import { makeTrips, TRIP, type Trips } from './trips.ts';

/** What claims need to know of Redis' replicas. */
export type Replicas = {
  /** On so many a claim must be before anything is sent; 0 where there is none to ask. */
  expected: () => number | Promise<number>;
  /** A connection for claims alone, which sends nothing again by itself. */
  connect: () => RedisConnection;
};

/**
 * Trips of claims, with one further answer of a claim: { "unconfirmed", replicas that have it, replicas that should }. The claim then
 * stands where it was written and perhaps nowhere else; nothing may be sent, and it is to be given back. A replica that is
 * promoted without a claim would let the same thing be made again.
 *
 * The claims of a moment go together with one WAIT behind them. It blocks its connection, so they have one of their own, and
 * the next claims gather meanwhile. It counts writes of its own connection alone, so every "go" has to be one; the
 * repeated one of the same owner too.
 */
export function makeConfirmedTrips(connection: RedisConnection, account: string, wanted: Replicas['expected']): Trips {
  const lua = scriptText(TRIP.url);
  const sha = createHash('sha1').update(lua).digest('hex');
  return makeTrips(async (args) => {
    const count = await wanted();
    // One write to one server, in this order. A server that lacks the script would be given it behind the WAIT.
    const pipeline = connection
      .pipeline()
      .script('LOAD', lua)
      .evalsha(sha, 1, account, ...args);
    pipeline.wait(count, CONFIRM_WITHIN_MS);
    const [, [error, answers] = [NONE], [waitError, confirmed] = [NONE]] = (await pipeline.exec()) ?? [];
    // A pipeline that was sent to the wrong node of a cluster does not look for the right one by itself.
    if ((error || waitError) && 'refreshSlotsCache' in connection) connection.refreshSlotsCache();
    if (error) return endMisfit(error);
    return (answers as unknown[]).map((answer) => {
      if (!mayBeSent(answer)) return answer;
      // Not what Redis said, since a primary that is no more says ERR: to ask again is right, wherever it leads.
      if (waitError) return new Error(`the replicas could not be asked (${messageOf(waitError)})`);
      return Number(confirmed) < count ? ['unconfirmed', Number(confirmed), count] : answer;
    });
  }, TRIP.mostAtOnce);
}

const NONE = new Error('no answer');

/** Replicas that follow answer within milliseconds; the row and its slot wait for those that do not. */
export const CONFIRM_WITHIN_MS = 1_000;

function mayBeSent(answer: unknown): boolean {
  return Array.isArray(answer) && answer[0] === 'go';
}
