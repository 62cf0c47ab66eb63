import { randomBytes } from 'node:crypto';
import type { Notice, NoticeKind, NoticeState, Outbox } from './notice.ts';
import { NOTICE_LIMITS, noticeScript, type OutboxStore } from './outbox-store.ts';
import { type SendFault, WAYS, type WayName } from './way.ts';

export type NoticeOutbox = ReturnType<typeof makeOutbox>;

/** Random bytes of a notice's id: 96 bits. */
const ID_BYTES = 12;

type OutboxDeps = Omit<OutboxStore, 'limits'> & {
  limits?: OutboxStore['limits'];
  ways: readonly WayName[];
  /** The kinds of notices that are sent; all if none is named. */
  about?: readonly NoticeKind[];
};

/** Makes an account's outbox of notices. A notice is in it from the change of state until each channel has delivered it or given it up. */
export function makeOutbox({ connection, keys, ways, about = [], limits = NOTICE_LIMITS }: OutboxDeps) {
  const script = noticeScript(connection, 'report-state');
  const { noticeStates: states, noticesLately: recent, account } = keys;
  const { keepMs, listed, waiting: most } = limits;

  async function reportOne({ subject, state, was, notice }: NoticeState): Promise<number> {
    const id = randomBytes(ID_BYTES).toString('base64url');
    const takenBy = notice && (about.length === 0 || about.includes(notice.kind)) ? ways : [];
    const basis = was === undefined ? '' : `was ${was}`;
    const text = notice ? JSON.stringify(boundedNotice(notice)) : '';
    const arose = await script(
      { states, noticeKey: keys.notice(id), recent, account, outboxes: takenBy.map(keys.outbox) },
      { subject, state, basis, notice: text, id, keepMs, listed, most, ways: takenBy },
    );
    return Number(arose);
  }

  return {
    async report(states) {
      const arose = await Promise.all(states.map(reportOne));
      return arose.reduce((sum, one) => sum + one, 0);
    },
    ...makeDeliveries({ connection, keys, limits }),
    ...makeNoticeList({ connection, keys, limits }),
  } satisfies Outbox & Record<string, unknown>;
}

/** Most characters of a title, one sentence; Slack shows 150 characters of a header, and mail programs fewer of a subject. */
const MOST_TITLE = 300;

/** Most facts of a notice. This and the limits of their texts keep a message below the 28 kB of Teams, whichever characters it has. */
const MOST_FACTS = 20;
const MOST_TERM = 60;
const MOST_WHAT = 200;

/**
 * A notice as stored and sent: one line each, without characters that change the direction of text or control a terminal, and within the
 * limits of all receivers. Names of portfolios come from file names, and so from anybody.
 */
export function boundedNotice({ kind, title, facts, path, atMs }: Notice): Notice {
  const shown = facts.length > MOST_FACTS ? facts.slice(0, MOST_FACTS - 1) : facts;
  const kept = shown.map(({ term, what }) => ({ term: plainLine(term, MOST_TERM), what: plainLine(what, MOST_WHAT) }));
  if (shown.length < facts.length) kept.push({ term: 'And', what: `${facts.length - shown.length} more` });
  return { kind, title: plainLine(title, MOST_TITLE), facts: kept, path, atMs };
}

/** A notice that this process has to send before its lease ends. */
export type TakenNotice = {
  id: string;
  notice: Notice;
  /** Number of attempts to send this notice, including the one that now begins; it identifies the lease. */
  tries: number;
  /** Failed attempts in a row on this channel, of any notice. */
  failures: number;
};

/** The next task of a channel: to send a notice, to wait, to report one that was given up, or nothing. */
type DueDelivery =
  | ({ is: 'go' } & TakenNotice)
  /** Nothing is due before this time. */
  | { is: 'later'; inMs: number }
  /** A notice was just given up: it will not be sent any more. */
  | { is: 'undelivered'; id: string; notice: Notice; words: string }
  | { is: 'none' };

/** The outcome of an attempt, for the outbox. */
export type DeliveryResult = {
  outcome: 'delivered' | SendFault;
  words: string;
  where: string;
  /** Time until the next attempt: of all notices if the channel is at fault, else of this one. */
  waitMs: number;
};

/** The outbox for the processes that deliver. */
function makeDeliveries({ connection, keys, limits }: OutboxStore) {
  const takeScript = noticeScript(connection, 'take-notice');
  const settleScript = noticeScript(connection, 'settle-notice');
  const { leaseMs, giveUpMs, graceMs, keepMs } = limits;
  const keysOf = (way: WayName) => {
    return { outbox: keys.outbox(way), fault: keys.outboxFault(way), account: keys.account };
  };

  return {
    /**
     * Takes the next due notice of a channel under a lease, and notes that it is being sent.
     *
     * @param lacking why this process cannot use the channel: then nothing is taken, and notices that are too old are given up
     */
    async take(way: WayName, { lacking = '' } = {}): Promise<DueDelivery> {
      const args = { way, notices: keys.notice(''), lacking, leaseMs, giveUpMs, graceMs, keepMs };
      const due = JSON.parse(String(await takeScript(keysOf(way), args)));
      return due.notice === undefined ? due : { ...due, notice: JSON.parse(due.notice) };
    },

    /** Notes the outcome of an attempt. A delivered notice stays delivered. */
    async settle(
      way: WayName,
      { id, tries }: Pick<TakenNotice, 'id' | 'tries'>,
      settled: DeliveryResult,
    ): Promise<void> {
      await settleScript({ ...keysOf(way), notice: keys.notice(id) }, { way, id, tries, ...settled, keepMs });
    },
  };
}

/** The text on one line, cut to `most` UTF-16 units, but not within a character. */
function plainLine(text: string, most: number): string {
  const line = text
    .slice(0, 2 * most)
    .toWellFormed()
    .replace(UNSEEN, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= most
    ? line
    : `${line
        .slice(0, most - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}…`;
}

/** Control and format characters, and separators of lines and paragraphs. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

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
function makeNoticeList({ connection, keys, limits }: OutboxStore) {
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
