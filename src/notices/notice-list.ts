import type { Notice } from './notice.ts';
import type { OutboxStore } from './outbox-store.ts';
import { WAYS, type WayName } from './way.ts';

/** What became of a notice on one way. */
export type Delivery = {
  way: WayName;
  is: 'waiting' | 'sending' | 'delivered' | 'undelivered';
  tries: number;
  /** When it was delivered or given up, when the try began that is under way, or when the next one is, in ms. */
  atMs: number | undefined;
  /** The host that the last try went to. */
  where: string | undefined;
  /** Why the last try failed, or what else is to be known. */
  words: string | undefined;
};

/** A notice, and what became of it; without deliveries it was sent to nobody, since no way is set that takes its kind. */
export type ToldNotice = { id: string; notice: Notice; deliveries: readonly Delivery[] };

/** How a way stands. */
export type WayStanding = {
  way: WayName;
  waiting: number;
  /** Where the last try failed, in ms of the server's clock. */
  fault?: { sinceMs: number; failures: number; againMs: number; words: string };
};

/** How many notices came to an end, on all ways, since there is this ledger. */
export type NoticeCounts = { delivered: number; undelivered: number };

/** The outbox from the side of who looks. */
export function makeNoticeList({ connection, keys, limits }: OutboxStore) {
  return {
    /** The latest notices, the newest first. */
    async lately(most: number = limits.listed): Promise<ToldNotice[]> {
      const ids = most <= 0 ? [] : await connection.zrevrange(keys.noticesLately, 0, most - 1);
      const found = await Promise.all(ids.map((id) => connection.hgetall(keys.notice(id))));
      return found.flatMap((fields, place) => {
        const { notice } = fields;
        return notice === undefined
          ? []
          : [{ id: ids[place] ?? '', notice: JSON.parse(notice) as Notice, deliveries: deliveriesIn(fields) }];
      });
    },

    /** How each way stands, also one that this process does not have. */
    async standings(): Promise<WayStanding[]> {
      return Promise.all(
        WAYS.map(async (way) => {
          const [waiting, { since, failures, until, words }] = await Promise.all([
            connection.zcard(keys.outbox(way)),
            connection.hgetall(keys.outboxFault(way)),
          ]);
          if (since === undefined) return { way, waiting };
          const fault = {
            sinceMs: Number(since),
            failures: Number(failures),
            againMs: Number(until),
            words: words ?? '',
          };
          return { way, waiting, fault };
        }),
      );
    },

    async counts(): Promise<NoticeCounts> {
      const counts = await connection.hmget(keys.account, 'notices:delivered', 'notices:undelivered');
      const [delivered = 0, undelivered = 0] = counts.map(Number);
      return { delivered, undelivered };
    },
  };
}

function deliveriesIn(fields: Readonly<Record<string, string>>): Delivery[] {
  return WAYS.flatMap((way) => {
    const is = fields[way];
    if (is === undefined) return [];
    const at = fields[`${way}:at`];
    return [
      {
        way,
        is: is as Delivery['is'],
        tries: Number(fields[`${way}:tries`] ?? 0),
        atMs: at === undefined ? undefined : Number(at),
        where: fields[`${way}:where`],
        words: fields[`${way}:words`] || undefined,
      },
    ];
  });
}
