import { randomUUID } from 'node:crypto';
import type { CallKind, CallRecord, Sent } from '../../call-kind.ts';
import type { Idempotency, UnknownPolicy } from '../../config.ts';
import type { LastLink } from '../../files/last-link.ts';
import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../schema/keys.ts';
import { type MoveCall, type RowId, rowName } from '../schema/schema.ts';
import type { RetryUntilAnswered } from '../schema/until-answered.ts';
import type { Dispute } from './attempts.ts';
import { type Batcher, batcherOf, type Moving, makeConfirmedBatcher, type Replicas } from './batches.ts';
import type { ClaimAnswer, Released, Sendable, Thing } from './claim-answers.ts';
import { digestsOf, missingReplicas, readPair, toClaimAnswer, toReleased } from './claim-answers.ts';
import { VANISHED_AFTER_MS } from './fleet.ts';
import { makeHostedSessions } from './sessions.ts';

/**
 * A row fails once the service has put it off this often while it let other rows pass: then the row itself is the reason. A smaller number
 * may be chance at the service's rate limit.
 */
export const MOST_PUT_OFFS = 30;

/**
 * The result of a person's answer to a held call. `made`: the service made the thing meanwhile. `not unknown`: the outcome is no longer
 * unknown, or a send after the person looked got lost. `other`: another limit has the id. `declined`: an earlier answer to this call was
 * declined, so another person must approve this one.
 */
export type ResolveAnswer = 'resolved' | 'made' | 'not unknown' | 'other' | 'declined';

/** The service's refusal of a call, for the row's history. */
type Refusal = { status: number; body: string };

/** Why a claim is given back: the service made nothing, or the call never left. */
type Unmade = Exclude<Sent['is'], 'made' | 'unknown'>;

/** Under the setting "resend", a call of unknown outcome is sent up to 8 more times, within 5 minutes. The waits between the sends double. */
const RESENDS = 8;
const RESEND_WITHIN_MS = 300_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 64_000;

/** The number of quick repetitions under the setting "repeat", and the ms before each. They soon fetch a response that was lost. */
const QUICK_SENDS = 5;
const QUICK_WAIT_MS = 50;

/**
 * Age in ms after which a claim is disputed if another process wants the same call. The claim's owner then says whether it still sends the
 * call, which may last longer.
 */
const DISPUTED_AFTER_MS = 5_000;

function resendsOf(onUnknown: UnknownPolicy): { sends: number; withinMs: number } {
  return { sends: onUnknown === 'repeat' ? RESENDS + QUICK_SENDS : RESENDS, withinMs: RESEND_WITHIN_MS };
}

/** The row of a move that answers a dispute: a dispute names only the call. */
const NO_ROW: RowId = { portfolio: '', key: '' };

/** Further work for the script of a settlement: accept the id of another limit, move the row, claim the row's next call. */
type SettleOptions = { accepted?: boolean; moving?: Moving; next?: { thing: Sendable; owner: string } | undefined };

/** The answer to a settlement; `settle` below says what its fields mean. `first`: see {@link ClaimAnswer}. */
export type SettleAnswer = { id: string; late: boolean; otherRow?: string } & (
  | { went: 'stayed' | 'moved' }
  | { went: 'claimed'; first: string }
);

export type Calls = ReturnType<typeof makeCalls>;

/** The kind and key of what a call makes; they name the call in the ledger. */
type Named = Pick<Thing, 'kind' | 'key'>;
type Said = { by?: string | undefined; row?: RowId; asOfMs?: number | undefined; approval?: string | undefined };

/**
 * The ledger's part of every call: claim → (send) → settle, release or doubt. Each resolves when Redis has stored it. The owner may repeat
 * each, and only the owner of a claim can release or doubt it.
 */
export function makeCalls({
  connection,
  keys,
  retryUntilAnswered,
  replicas,
  runInBatch = batcherOf(connection, keys),
  mark = () => undefined,
  idempotency,
}: {
  connection: RedisConnection;
  keys: Keys;
  retryUntilAnswered: RetryUntilAnswered;
  /** The replicas that must confirm a claim; without this, a claim exists only in the one Redis. */
  replicas?: Replicas | undefined;
  /** Runs moves of rows and calls in scripts; by default the batcher of this connection. */
  runInBatch?: Batcher;
  /** The mark under which a call that is claimed now leaves (send-marks.ts). */
  mark?: () => LastLink | undefined;
  /** The header in which every call of this process carries its key; undefined for none. */
  idempotency?: Idempotency | undefined;
}) {
  const resolve = makeLuaScript(connection, new URL('../lua/resolve.lua', import.meta.url));
  const callKey = (thing: Named) => keys.call(thing.kind, thing.key);
  const stateOf = (thing: Named): Promise<string | null> => connection.hget(callKey(thing), 'state');

  const isConfirmed = async (): Promise<boolean> => replicas !== undefined && (await replicas.expected()) > 0;
  let confirmed: Batcher | undefined;
  /** The batcher for claims alone, which all expected replicas must confirm, if there are any. */
  const claimBatcher = async (): Promise<Batcher> => {
    if (!replicas || !(await isConfirmed())) return runInBatch;
    confirmed ??= makeConfirmedBatcher(replicas.connect(), keys.account, replicas.expected);
    return confirmed;
  };

  const claimCall = (thing: Sendable, owner: string, onUnknown: UnknownPolicy): MoveCall => {
    const { kind, key, revision } = thing;
    const { number, link } = mark() ?? {};
    const limits = { ...resendsOf(onUnknown), vanishedAfterMs: VANISHED_AFTER_MS, disputedAfterMs: DISPUTED_AFTER_MS };
    const reaction = { onUnknown, header: idempotency?.header, withoutIt: idempotency?.withoutIt[kind] };
    const told = {
      revision,
      ...digestsOf(thing),
      supplier: thing.supplier,
      mark: number,
      link,
      ...reaction,
      ...limits,
    };
    return { move: 'claim', kind, thing: key, owner, ...told };
  };

  const giveBack = async (thing: Sendable, owner: string, why: Unmade, refusal?: Refusal): Promise<Released> => {
    const { kind, key, row, revision } = thing;
    const told = { why, status: refusal?.status, body: refusal?.body, revision, mostPutOffs: MOST_PUT_OFFS };
    const answer = await retryUntilAnswered('release', () =>
      runInBatch(row, { move: 'release', kind, thing: key, owner, ...told }),
    );
    return toReleased(answer as [string, ...(string | number)[]]);
  };

  return {
    /** Hosted sessions of rows that have ended. */
    sessions: makeHostedSessions({ connection, keys, retryUntilAnswered }),

    /** @throws LimitlineError `REDIS` if not all expected replicas confirm the claim within a second; the claim is given back then */
    async claim(
      thing: Sendable,
      { owner, onUnknown }: { owner: string; onUnknown: UnknownPolicy },
    ): Promise<ClaimAnswer> {
      const answer = await retryUntilAnswered('claim', async () =>
        (await claimBatcher())(thing.row, claimCall(thing, owner, onUnknown)),
      );
      const missing = missingReplicas(answer);
      if (missing) {
        await giveBack(thing, owner, 'unsent');
        throw missing;
      }
      return toClaimAnswer(answer as [ClaimAnswer['is'], ...string[]], owner);
    },

    /**
     * Writes down that the thing was made. `id` of the result is the id on record, which differs from the given one only if the thing was
     * made twice. `late`: the outcome had been unknown. If another limit has this id, nothing is written and `otherRow` is its row, unless
     * `accepted`. The same script moves the row and claims `next`, a call of that row, each only if the move before it was an ordinary one;
     * `went` says how far.
     */
    async settle(
      thing: Sendable,
      owner: string,
      made: { id: string; record: CallRecord; buyer: string },
      { accepted = false, moving, next }: SettleOptions = {},
    ): Promise<SettleAnswer> {
      const { kind, key, row } = thing;
      const told = { buyer: made.buyer, id: made.id, record: JSON.stringify(made.record), accepted: accepted ? 1 : '' };
      const moves: MoveCall[] = [{ move: 'settle', kind, thing: key, owner, ...told }];
      if (moving) moves.push(moving);
      const nextClaim = next && !(await isConfirmed()) ? next : undefined;
      if (nextClaim) moves.push(claimCall(nextClaim.thing, nextClaim.owner, 'hold'));
      const takeBack = async (): Promise<unknown> => nextClaim && giveBack(nextClaim.thing, nextClaim.owner, 'unsent');
      let times = 0;
      const settling = retryUntilAnswered('settle', () => {
        times += 1;
        return runInBatch(row, ...moves);
      });
      const answer = await settling.catch(async (error) => {
        await takeBack().catch(() => {});
        throw error;
      });
      const [done, said] = (moves.length > 1 ? answer : [0, answer]) as [number, [string, ...(string | number)[]]];
      if (nextClaim && done === moves.length)
        return { id: made.id, late: false, went: 'claimed', first: String(said[1]) };
      // A script whose reply was lost may have claimed the next call, so that claim is given back. `times` does not count the connection's
      // own repetitions, so it is given back as well if no move was reported as done.
      if (times > 1 || done === 0) await takeBack();
      if (done > 0) return { id: made.id, late: false, went: done > 1 || !moving ? 'moved' : 'stayed' };
      const [id, known] = said;
      return id === ''
        ? { id, late: false, otherRow: String(known), went: 'stayed' }
        : { id, late: known === 1, went: 'stayed' };
    },

    /**
     * Gives a claim back, since nothing was made. `why` says how to count: a call that never left is not counted. Returns how often the row
     * was put off while others of its step passed.
     */
    release: giveBack,

    /**
     * Writes down that the outcome is unknown. Returns when the call was sent, in ms of the server's clock, and in how many ms "resend" may
     * send it again (undefined: never). Undefined if the claim is no longer this owner's, unless the call is free. `othersId`: the id in a response to another
     * request; no setting repeats such a call.
     */
    async doubt(
      { kind, key, row }: Sendable,
      owner: string,
      heard: string,
      { othersId = '', onUnknown = 'resend' }: { othersId?: string; onUnknown?: UnknownPolicy } = {},
    ): Promise<{ sentMs: number; againMs: number | undefined } | undefined> {
      const firstWaitMs = onUnknown === 'repeat' ? QUICK_WAIT_MS : FIRST_WAIT_MS;
      const limits = { ...resendsOf(onUnknown), firstWaitMs, longestWaitMs: LONGEST_WAIT_MS };
      const told = { heard, ...limits, others: othersId };
      const answer = await retryUntilAnswered('doubt', () =>
        runInBatch(row, { move: 'doubt', kind, thing: key, owner, ...told }),
      );
      const [sentMs, againMs] = answer as (string | number)[];
      if (sentMs === undefined) return undefined;
      return { sentMs: Number(sentMs), againMs: againMs === '' ? undefined : Number(againMs) };
    },

    /** Writes down an unknown outcome for a claim that its own process no longer knows. */
    async disown({ kind, owner, key: thing }: Dispute): Promise<void> {
      const limits = { ...resendsOf('resend'), firstWaitMs: FIRST_WAIT_MS, longestWaitMs: LONGEST_WAIT_MS };
      const heard = 'Redis lost what its sender had written about it';
      await runInBatch(NO_ROW, { move: 'doubt', kind, thing, owner, heard, ...limits });
    },

    /**
     * Writes a person's answer to the first of a row's calls whose outcome is unknown: it made `id`, or without an id it may be sent again.
     * Written once, even if the reply is lost. `by` and `row` go to the row's history. Nothing is done if the call was sent again and lost at
     * `asOfMs` or later, by the server's clock: the answer is older. `approval`: the one in which another person approved the answer.
     */
    async resolve(
      things: readonly [Named, ...Named[]],
      buyer: string,
      id: string | undefined,
      { by = '', row, asOfMs, approval = '' }: Said = {},
    ): Promise<ResolveAnswer> {
      const places = { limits: keys.buyerLimits(buyer), account: keys.account, calls: things.map(callKey) };
      const name = row && rowName(row);
      const told = { id, kind: things[0].kind, word: randomUUID(), by, name, asOf: asOfMs, approval };
      return (await retryUntilAnswered('resolve', () => resolve(places, told))) as ResolveAnswer;
    },

    /** The state of this call; null if the ledger has no record of it. */
    stateOf,

    /** Whether the outcome of this call is unknown. */
    isUnknown: async (thing: Named): Promise<boolean> => (await stateOf(thing)) === 'unknown',

    /** When the last send of this call whose answer was lost had left, in ms of the server's clock; 0 for none. */
    lostMs: async (thing: Named): Promise<number> => Number((await connection.hget(callKey(thing), 'lostAt')) ?? 0),

    /** Whether a person let this call be sent again, and it has no outcome since. */
    async isLetGo(thing: Named): Promise<boolean> {
      const [state, word] = await connection.hmget(callKey(thing), 'state', 'word');
      return state === 'free' && word !== null;
    },

    /** Whether the ledger has no record of this call. If a row is held for it, the ledger has lost the record. */
    isForgotten: async (thing: Named): Promise<boolean> => (await stateOf(thing)) === null,

    /** The id that this call made; undefined if it made nothing or its outcome is unknown. */
    async madeId(thing: Named): Promise<string | undefined> {
      const [state, id] = await connection.hmget(callKey(thing), 'state', 'id');
      return state === 'made' && id ? id : undefined;
    },

    /** The call that made each id, and the row for which it was sent; undefined for an id that no call made. Ids are kept for good. */
    async makersOf(
      ids: readonly { kind: CallKind; id: string }[],
    ): Promise<({ key: string; row: string } | undefined)[]> {
      const find = async ({ kind, id }: { kind: CallKind; id: string }) => {
        const key = await connection.hget(keys.madeIds(kind, id), id);
        return key === null ? undefined : { key, row: (await connection.hget(callKey({ kind, key }), 'row')) ?? '' };
      };
      return retryUntilAnswered('find made', () => Promise.all(ids.map(find)));
    },

    /** Companies whose id the service gave for two buyers, and the row of the second response. */
    async sharedCompanies(): Promise<{ id: string; buyers: [string, string]; row: string }[]> {
      const shared = Object.entries(await connection.hgetall(keys.sharedCompanies));
      return shared.map(([names, row]) => {
        const [id = '', first = '', second = ''] = names.split(' ');
        return { id, buyers: [first, second], row };
      });
    },

    /** Things that were made twice: kind, both ids, and the row whose call made the second. */
    async madeTwice(): Promise<{ kind: CallKind; id: string; again: string; row: string }[]> {
      const pairs = Object.entries(await connection.hgetall(keys.madeTwice));
      return pairs.map(([pair, row]) => ({ ...readPair(pair), row }));
    },
  };
}
