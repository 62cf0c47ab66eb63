import { randomUUID } from 'node:crypto';
import type { CallKind } from '../../call-kind.ts';
import type { UnknownPolicy } from '../../config.ts';
import type { LastLink } from '../../files/last-link.ts';
import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import type { CallRecord, Sent } from '../../outcome.ts';
import type { Keys } from '../schema/keys.ts';
import { type MoveCall, type RowId, rowName } from '../schema/schema.ts';
import type { RetryUntilAnswered } from '../schema/until-answered.ts';
import type { Dispute } from './attempts.ts';
import { type Batcher, batcherOf, type Moving, makeConfirmedBatcher, type Replicas } from './batches.ts';
import {
  type ClaimAnswer,
  digestsOf,
  missingReplicas,
  type Released,
  readPair,
  type Thing,
  toClaimAnswer,
  toReleased,
} from './claim-answers.ts';
import { VANISHED_AFTER_MS } from './fleet.ts';

/** A row that is put off so often while others pass is the reason itself; fewer may be the luck of a crowded limit. */
export const MOST_PUT_OFFS = 30;

/**
 * What became of a resolution: done, or not needed since the call was answered or given back meanwhile; `other`: another limit has the id;
 * `declined`: somebody said no to what was said of the call, so that it takes another person's yes.
 */
export type ResolveAnswer = 'resolved' | 'made' | 'not unknown' | 'other' | 'declined';

/** What the service said when it refused a call: told to the row's story. */
type Refusal = { status: number; body: string };

/** Why a claim is given back: the service made nothing, or was never asked. */
type Unmade = Exclude<Sent['is'], 'made' | 'unknown'>;

/** Under "resend": so many sends after the first unknown answer, within so long, with waits that double in between. */
const RESENDS = 8;
const RESEND_WITHIN_MS = 300_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 64_000;

/** Under "repeat", where nothing is made twice, it begins with these, so that an answer which was only lost costs no second. */
const QUICK_SENDS = 5;
const QUICK_WAIT_MS = 50;

/** Longer than a claim is ever only on its way, so that the owner is asked about few; a call under way may last longer. */
const DISPUTED_AFTER_MS = 5_000;

function resendsOf(onUnknown: UnknownPolicy): { sends: number; withinMs: number } {
  return { sends: onUnknown === 'repeat' ? RESENDS + QUICK_SENDS : RESENDS, withinMs: RESEND_WITHIN_MS };
}

/** A dispute tells of a call, and not for which row it was claimed. */
const NO_ROW: RowId = { portfolio: '', key: '' };

/** What happens in the step that writes down that a call was made. */
type Behind = { accepted?: boolean; moving?: Moving; next?: { thing: Thing; owner: string } | undefined };

/** What is on record of the call, and how far its row went in the same step; `first` as a claim's. */
export type SettleAnswer = { id: string; late: boolean; otherRow?: string } & (
  | { went: 'stayed' | 'moved' }
  | { went: 'claimed'; first: string }
);

export type Calls = ReturnType<typeof makeCalls>;

/**
 * The ledger's side of every call: claim → (send) → settle, release or doubt. Each is stored before it returns, each
 * may be repeated by its owner, and none but the owner of a claim can release or doubt it.
 */
export function makeCalls({
  connection,
  keys,
  retryUntilAnswered,
  replicas,
  runInBatch = batcherOf(connection, keys),
  mark = () => undefined,
}: {
  connection: RedisConnection;
  keys: Keys;
  retryUntilAnswered: RetryUntilAnswered;
  /** Without them a claim is as safe as the one Redis that has it. */
  replicas?: Replicas | undefined;
  /** By which scripts calls are served; those of this connection where left out. */
  runInBatch?: Batcher;
  /** The mark under which what is claimed now is to leave (send-marks.ts). */
  mark?: () => LastLink | undefined;
}) {
  const resolve = makeLuaScript(connection, new URL('../lua/resolve.lua', import.meta.url));
  const callKey = (thing: Pick<Thing, 'kind' | 'key'>) => keys.call(thing.kind, thing.key);

  const isConfirmed = async (): Promise<boolean> => replicas !== undefined && (await replicas.expected()) > 0;
  let confirmed: Batcher | undefined;
  /** Claims alone: on all replicas that there should be, where there are any. */
  const claimBatcher = async (): Promise<Batcher> => {
    if (!replicas || !(await isConfirmed())) return runInBatch;
    confirmed ??= makeConfirmedBatcher(replicas.connect(), keys.account, replicas.expected);
    return confirmed;
  };

  const claimCall = (thing: Thing, owner: string, onUnknown: UnknownPolicy): MoveCall => {
    const { kind, key, revision } = thing;
    const { number, link } = mark() ?? {};
    const limits = { ...resendsOf(onUnknown), vanishedAfterMs: VANISHED_AFTER_MS, disputedAfterMs: DISPUTED_AFTER_MS };
    const told = { revision, ...digestsOf(thing), mark: number, link, onUnknown, ...limits };
    return { move: 'claim', kind, thing: key, owner, ...told };
  };

  const giveBack = async (thing: Thing, owner: string, why: Unmade, refusal?: Refusal): Promise<Released> => {
    const { kind, key, row, revision } = thing;
    const told = { why, status: refusal?.status, body: refusal?.body, revision, mostPutOffs: MOST_PUT_OFFS };
    const answer = await retryUntilAnswered('release', () =>
      runInBatch(row, { move: 'release', kind, thing: key, owner, ...told }),
    );
    return toReleased(answer as [string, ...(string | number)[]]);
  };

  return {
    /**
     * @throws LimitlineError `REDIS` when not all replicas that there should be confirm the claim within a second; it is
     *   given back then
     */
    async claim(thing: Thing, { owner, onUnknown }: { owner: string; onUnknown: UnknownPolicy }): Promise<ClaimAnswer> {
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
     * Writes down that the thing was made. Answers the id on record, which is another than `id` only if the thing was made twice, and whether
     * its outcome had been unknown until now. Where another limit has this id nothing is written, and `otherRow` is its row, unless that is
     * `accepted`. Its row moves on in the same step, and `next`, a call of that row, is claimed for its owner, each if the one before it
     * went as it does for most rows: `went` says how far.
     */
    async settle(
      thing: Thing,
      owner: string,
      made: { id: string; record: CallRecord; buyer: string },
      { accepted = false, moving, next }: Behind = {},
    ): Promise<SettleAnswer> {
      const { kind, key, row } = thing;
      const told = { buyer: made.buyer, id: made.id, record: JSON.stringify(made.record), accepted: accepted ? 1 : '' };
      const moves: MoveCall[] = [{ move: 'settle', kind, thing: key, owner, ...told }];
      if (moving) moves.push(moving);
      const behind = next && !(await isConfirmed()) ? next : undefined;
      if (behind) moves.push(claimCall(behind.thing, behind.owner, 'hold'));
      const takeBack = async (): Promise<unknown> => behind && giveBack(behind.thing, behind.owner, 'unsent');
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
      if (behind && done === moves.length) return { id: made.id, late: false, went: 'claimed', first: String(said[1]) };
      // The first answer may have been lost, and with it that the next one was claimed; the connection asks again by itself, too.
      if (times > 1 || done === 0) await takeBack();
      if (done > 0) return { id: made.id, late: false, went: done > 1 || !moving ? 'moved' : 'stayed' };
      const [id, known] = said;
      return id === ''
        ? { id, late: false, otherRow: String(known), went: 'stayed' }
        : { id, late: known === 1, went: 'stayed' };
    },

    /**
     * Nothing was made. `why` tells the counts: a call that never left is not counted as one. Answers how often the row
     * was put off so far while others of its step passed.
     */
    release: giveBack,

    /**
     * Answers when it was sent, in ms of the server's clock, and in how many ms "resend" may send it again, where it still may;
     * nothing when the claim is not this owner's any more. `othersId` is the id in an answer to somebody else's request: then it never may.
     */
    async doubt(
      { kind, key, row }: Thing,
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

    /** Of a claim that its process knows nothing of any more, nobody knows what became of it. */
    async disown({ kind, owner, key: thing }: Dispute): Promise<void> {
      const limits = { ...resendsOf('resend'), firstWaitMs: FIRST_WAIT_MS, longestWaitMs: LONGEST_WAIT_MS };
      const heard = 'Redis forgot what its sender had written down';
      await runInBatch(NO_ROW, { move: 'doubt', kind, thing, owner, heard, ...limits });
    },

    /**
     * A person's word on the first of a row's calls whose outcome is unknown: it made `id`, or, without one, it may be
     * sent again. Said once, however often the reply is lost. `by` and `row` go to the row's story.
     * Where the call was sent again and lost at `asOfMs` or later, of the server's clock, the word is not about that: nothing is done.
     * `approval` is the one in which another person said yes to the word.
     */
    async resolve(
      things: readonly [Pick<Thing, 'kind' | 'key'>, ...Pick<Thing, 'kind' | 'key'>[]],
      buyer: string,
      id: string | undefined,
      {
        by = '',
        row,
        asOfMs,
        approval = '',
      }: { by?: string | undefined; row?: RowId; asOfMs?: number | undefined; approval?: string | undefined } = {},
    ): Promise<ResolveAnswer> {
      const places = { limits: keys.buyerLimits(buyer), account: keys.account, calls: things.map(callKey) };
      const name = row && rowName(row);
      const told = { id, kind: things[0].kind, word: randomUUID(), by, name, asOf: asOfMs, approval };
      return (await retryUntilAnswered('resolve', () => resolve(places, told))) as ResolveAnswer;
    },

    /** Whether the outcome of this call is unknown. */
    async isUnknown(thing: Pick<Thing, 'kind' | 'key'>): Promise<boolean> {
      return (await connection.hget(callKey(thing), 'state')) === 'unknown';
    },

    /** Whether a person said of this call that it may be sent again, and nothing came of it since. */
    async isLetGo(thing: Pick<Thing, 'kind' | 'key'>): Promise<boolean> {
      const [state, word] = await connection.hmget(callKey(thing), 'state', 'word');
      return state === 'free' && word !== null;
    },

    /** Whether the ledger knows nothing at all of this call. Of one that a row is held for, that means that it was forgotten. */
    async isForgotten(thing: Pick<Thing, 'kind' | 'key'>): Promise<boolean> {
      return (await connection.hexists(callKey(thing), 'state')) === 0;
    },

    /** The id of what this call made; nothing where it made nothing, or nobody knows. */
    async madeId(thing: Pick<Thing, 'kind' | 'key'>): Promise<string | undefined> {
      const [state, id] = await connection.hmget(callKey(thing), 'state', 'id');
      return state === 'made' && id ? id : undefined;
    },

    /** The call that made each of these ids, and for which row: ids are known for good. Nothing of one that no call made. */
    async makersOf(
      ids: readonly { kind: CallKind; id: string }[],
    ): Promise<({ key: string; row: string } | undefined)[]> {
      const find = async ({ kind, id }: { kind: CallKind; id: string }) => {
        const key = await connection.hget(keys.madeIds(kind, id), id);
        return key === null ? undefined : { key, row: (await connection.hget(callKey({ kind, key }), 'row')) ?? '' };
      };
      return retryUntilAnswered('find made', () => Promise.all(ids.map(find)));
    },

    /** Companies whose id was answered for two buyers, and the row for which the second answer came. */
    async sharedCompanies(): Promise<{ id: string; buyers: [string, string]; row: string }[]> {
      const shared = Object.entries(await connection.hgetall(keys.sharedCompanies));
      return shared.map(([names, row]) => {
        const [id = '', first = '', second = ''] = names.split(' ');
        return { id, buyers: [first, second], row };
      });
    },

    /** Things that were made twice: the kind, both ids, and the row whose call made the second. */
    async madeTwice(): Promise<{ kind: CallKind; id: string; again: string; row: string }[]> {
      const pairs = Object.entries(await connection.hgetall(keys.madeTwice));
      return pairs.map(([pair, row]) => ({ ...readPair(pair), row }));
    },
  };
}
