import type { Notice } from './notice.ts';
import type { OutboxStore } from './outbox-store.ts';
import { WAYS, type WayName } from './way.ts';

/** Where the delivery of a notice on one channel stands. */
export type Delivery = {
  way: WayName;
  is: 'waiting' | 'sending' | 'delivered' | 'undelivered';
  tries: number;
  /** In ms: when the notice was delivered or given up, when the attempt under way began, or when the next one is due. */
  atMs: number | undefined;
  /** The receiving host of the last attempt. */
  where: string | undefined;
  /** Why the last attempt failed, or another remark. */
  words: string | undefined;
};

/** A notice and its deliveries; none if no channel takes its kind. */
export type ToldNotice = { id: string; notice: Notice; deliveries: readonly Delivery[] };

export type WayStanding = {
  way: WayName;
  waiting: number;
  /** The channel's fault, present if its last attempt failed; times are in ms of the server's clock. */
  fault?: { sinceMs: number; failures: number; againMs: number; words: string };
};

/** How many notices were delivered on a channel, and how many were given up, since this ledger began. */
export type NoticeCounts = { delivered: number; undelivered: number };

/** Reads the notices of an account and the state of its channels, for display. */
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

    /** The state of each channel, also of those that this process lacks. */
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
