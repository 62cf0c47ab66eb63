import type { UnknownPolicy } from '../config.ts';
import { makeLuaScript, type RedisConnection } from '../lua-script.ts';
import type { CallKind, Keys } from './keys.ts';
import type { Persist } from './persist.ts';
import { VANISHED_AFTER_MS } from './presence.ts';
import { type RowId, rowName } from './row-id.ts';

/** What an answer said besides the id, as text: amounts stay decimal text. */
export type CallRecord = Readonly<Record<string, string>>;

/** The ledger's answer to "may I send this?". */
export type Verdict =
  /** Send it, now, and settle, release or doubt it afterwards. `first` names the first send whose outcome is open. */
  | { is: 'go'; first: string }
  /** It was made before, for the row `row`: call nothing. */
  | { is: 'made'; id: string; row: string; record: CallRecord }
  /** Somebody is sending it at this moment. */
  | { is: 'busy' }
  /** It was sent, and nobody knows what became of it. */
  | { is: 'unknown'; heard: string; sentMs: number }
  /** The portfolio is paused: not now. */
  | { is: 'paused' }
  /** The row was given up meanwhile. */
  | { is: 'cancelled' };

/** One thing to be made: what kind, which one, and for which row. */
export type Thing = { kind: CallKind; key: string; row: RowId };

/** What became of a resolution: done, or not needed since the call was answered or given back meanwhile. */
export type Resolved = 'resolved' | 'made' | 'not unknown';

export type Calls = ReturnType<typeof makeCalls>;

/**
 * The ledger's side of every call: claim → (send) → settle, release or doubt. Each is stored before it returns, each
 * may be repeated by its owner, and none but the owner of a claim can release or doubt it.
 */
export function makeCalls({
  connection,
  keys,
  persist,
}: {
  connection: RedisConnection;
  keys: Keys;
  persist: Persist;
}) {
  const script = (name: string) => makeLuaScript(connection, new URL(`./lua/${name}.lua`, import.meta.url));
  const [claim, settle, release] = [script('claim'), script('settle'), script('release')];
  const [doubt, resolve] = [script('doubt'), script('resolve')];
  const callKey = (thing: Thing) => keys.call(thing.kind, thing.key);

  return {
    async claim(thing: Thing, { owner, onUnknown }: { owner: string; onUnknown: UnknownPolicy }): Promise<Verdict> {
      const [verdict, ...rest] = (await persist('claim', () =>
        claim(
          [
            callKey(thing),
            keys.workers,
            keys.portfolio(thing.row.portfolio),
            keys.row(thing.row.portfolio, thing.row.key),
          ],
          [owner, rowName(thing.row), onUnknown, VANISHED_AFTER_MS, `calls:${thing.kind}`],
        ),
      )) as [Verdict['is'], ...string[]];
      if (verdict === 'made') {
        const [id = '', row = '', record] = rest;
        return { is: 'made', id, row, record: record ? JSON.parse(record) : {} };
      }
      if (verdict === 'go') return { is: verdict, first: rest[0] ?? owner };
      if (verdict === 'unknown') return { is: verdict, heard: rest[0] ?? '', sentMs: Number(rest[1]) };
      return { is: verdict };
    },

    /** Answers the id on record, which is another than `id` only if the thing was made twice. */
    async settle(
      thing: Thing,
      owner: string,
      made: { id: string; record: CallRecord; buyer: string },
    ): Promise<string> {
      return (await persist('settle', () =>
        settle(
          [callKey(thing), keys.buyerLimits(made.buyer), keys.account],
          [owner, made.id, JSON.stringify(made.record), rowName(thing.row), thing.kind],
        ),
      )) as string;
    },

    /** Nothing was made. `why` tells the counts: a call that never left is not counted as one. */
    async release(thing: Thing, owner: string, why: 'refused' | 'throttled' | 'unreachable'): Promise<void> {
      const raise = why === 'throttled' ? 'calls:throttled' : '';
      const takeBack = why === 'unreachable' ? `calls:${thing.kind}` : '';
      await persist('release', () =>
        release([callKey(thing), keys.portfolio(thing.row.portfolio)], [owner, raise, takeBack]),
      );
    },

    /** Answers when it was sent, in ms of the server's clock; nothing when the claim is not this owner's any more. */
    async doubt(thing: Thing, owner: string, heard: string): Promise<number | undefined> {
      const sentMs = await persist('doubt', () => doubt([callKey(thing)], [owner, heard]));
      return sentMs === '' ? undefined : Number(sentMs);
    },

    /** A person's word on a call whose outcome is unknown: it made `id`, or, without one, it may be sent again. */
    async resolve(
      { kind, key }: Pick<Thing, 'kind' | 'key'>,
      buyer: string,
      id: string | undefined,
    ): Promise<Resolved> {
      return (await resolve([keys.call(kind, key), keys.buyerLimits(buyer)], [id ?? '', kind])) as Resolved;
    },

    /** Whether the outcome of this call is unknown. */
    async isUnknown({ kind, key }: Pick<Thing, 'kind' | 'key'>): Promise<boolean> {
      return (await connection.hget(keys.call(kind, key), 'state')) === 'unknown';
    },
  };
}
