import { randomBytes } from 'node:crypto';
import type { Notice } from './notice.ts';
import { noticeScript } from './notice-script.ts';
import type { OutboxStore } from './outbox-store.ts';
import type { WayName } from './way.ts';

/** A notice that this process has to send before its lease ends. */
export type TakenNotice = {
  id: string;
  notice: Notice;
  way: WayName;
  /** Number of attempts, including this one. */
  tries: number;
  /** Failed attempts in a row on this channel, of any notice. */
  failures: number;
  /** Whether an earlier attempt was cut off, so that the notice may have arrived. */
  isAgain: boolean;
  /** Identifies the lease. */
  owner: string;
};

/** What there is to do on a channel now. */
type DueDelivery =
  | ({ is: 'go' } & TakenNotice)
  /** Nothing is due before this time. */
  | { is: 'later'; inMs: number }
  /** A notice was just given up. */
  | { is: 'undelivered'; id: string; notice: Notice; words: string }
  | { is: 'none' };

/** The outcome of an attempt, for the outbox. */
export type DeliveryResult = {
  isDelivered: boolean;
  words: string;
  /** The receiving host. */
  where: string;
  /** Until the next attempt at this notice. */
  waitMs: number;
  /** How long the channel pauses; `well` if the channel is not at fault; undefined if that is not known. */
  putOffMs: number | 'well' | undefined;
};

/** The notice after an attempt; `other`: the lease had ended, and another process has the notice. */
type AfterTry = 'delivered' | 'waiting' | 'undelivered' | 'other';

/** The outbox for the processes that deliver. */
export function makeDeliveries({ connection, keys, limits }: OutboxStore) {
  const takeScript = noticeScript(connection, 'take-notice');
  const settleScript = noticeScript(connection, 'settle-notice');
  const { leaseMs, giveUpMs, graceMs, keepMs } = limits;

  return {
    /**
     * Takes the next due notice of a channel under a lease, and notes that it is being sent.
     *
     * @param lacking why this process cannot use the channel: then nothing is taken, and notices that are too old are given up
     */
    async take(way: WayName, { lacking = '' } = {}): Promise<DueDelivery> {
      const owner = randomBytes(9).toString('base64url');
      const [is, ...rest] = (await takeScript(
        [keys.outbox(way), keys.outboxFault(way), keys.account],
        [way, keys.notice(''), owner, leaseMs, giveUpMs, graceMs, lacking, keepMs],
      )) as [DueDelivery['is'], ...(string | number)[]];
      if (is === 'later') return { is, inMs: Number(rest[0]) };
      if (is === 'none') return { is };
      const [id, notice, ...more] = rest;
      const known = { id: String(id), notice: JSON.parse(String(notice)) as Notice };
      if (is === 'undelivered') return { is, ...known, words: String(more[0]) };
      const [tries, failures, isAgain] = more.map(Number);
      return { is, ...known, way, owner, tries: tries ?? 1, failures: failures ?? 0, isAgain: isAgain === 1 };
    },

    /** Notes the outcome of an attempt. A delivered notice stays delivered. */
    async settle(
      { way, id, owner }: Pick<TakenNotice, 'way' | 'id' | 'owner'>,
      settled: DeliveryResult,
    ): Promise<AfterTry> {
      const { isDelivered, words, where, waitMs, putOffMs = '' } = settled;
      return (await settleScript(
        [keys.outbox(way), keys.outboxFault(way), keys.account, keys.notice(id)],
        [way, id, owner, isDelivered ? 1 : 0, words, where, waitMs, putOffMs, giveUpMs, graceMs, keepMs],
      )) as AfterTry;
    },
  };
}
