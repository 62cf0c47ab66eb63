import { randomBytes } from 'node:crypto';
import type { Notice } from './notice.ts';
import { noticeScript } from './notice-script.ts';
import type { OutboxStore } from './outbox-store.ts';
import type { WayName } from './way.ts';

/** A notice that this process is to send, until its lease is over. */
export type TakenNotice = {
  id: string;
  notice: Notice;
  way: WayName;
  /** With this one. */
  tries: number;
  /** How many tries on this way failed in a row, of whatever notice. */
  failures: number;
  /** An earlier try was cut off, so that it may have arrived. */
  isAgain: boolean;
  /** Names the lease. */
  owner: string;
};

/** What a way has to do now. */
export type DueDelivery =
  | ({ is: 'go' } & TakenNotice)
  /** Nothing is due before. */
  | { is: 'later'; inMs: number }
  /** One was given up just now. */
  | { is: 'undelivered'; id: string; notice: Notice; words: string }
  | { is: 'none' };

/** What came of a try, for the outbox. */
export type DeliveryResult = {
  isDelivered: boolean;
  words: string;
  /** The host that it went to. */
  where: string;
  /** Until the next try of this notice. */
  waitMs: number;
  /** For so long the way is left alone; `well` where the fault is not the way's, nothing where that is not known. */
  putOffMs: number | 'well' | undefined;
};

/** What became of it: `other` where its lease was over, and somebody else is at it. */
export type AfterTry = 'delivered' | 'waiting' | 'undelivered' | 'other';

/** The outbox from the side of who delivers. */
export function makeDeliveries({ connection, keys, limits }: OutboxStore) {
  const takeScript = noticeScript(connection, 'take-notice');
  const settleScript = noticeScript(connection, 'settle-notice');
  const { leaseMs, giveUpMs, graceMs, keepMs } = limits;

  return {
    /**
     * Takes what is due on a way, for as long as the lease lasts, and notes that it is being sent.
     *
     * @param lacking why this process cannot send on this way: then nothing is taken, and what is too old is given up
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

    /** Notes what came of a try. What was delivered stays so, whoever says what afterwards. */
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
