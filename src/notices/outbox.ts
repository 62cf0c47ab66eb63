import { randomBytes } from 'node:crypto';
import type { Notice, NoticeKind, NoticeState, Outbox } from './notice.ts';
import { makeNoticeList } from './notice-list.ts';
import { NOTICE_LIMITS, noticeScript, type OutboxStore } from './outbox-store.ts';
import type { WayName } from './way.ts';

export type NoticeOutbox = ReturnType<typeof makeOutbox>;

/** States that are compared with the remembered ones by one command to Redis; most are unchanged. */
const COMPARED_AT_ONCE = 500;

/** Random bytes of a notice's id: 96 bits. */
const ID_BYTES = 12;

type OutboxDeps = Omit<OutboxStore, 'limits'> & {
  limits?: OutboxStore['limits'];
  /** The channels that are configured. */
  ways: readonly WayName[];
  /** The kinds of notices that are sent; all if none is named. */
  about?: readonly NoticeKind[];
};

/** Makes an account's outbox of notices. A notice is in it from the change of state until each channel has delivered it or given it up. */
export function makeOutbox({ connection, keys, ways, about = [], limits = NOTICE_LIMITS }: OutboxDeps) {
  const script = noticeScript(connection, 'tell-notice');

  /** The states that differ from the remembered ones, in order; a second state of one subject is compared with the first. */
  async function changedOf(states: readonly NoticeState[]): Promise<NoticeState[]> {
    const subjects = states.map(({ subject }) => subject);
    const known = await connection.hmget(keys.noticeStates, ...subjects);
    const remembered = new Map(subjects.map((subject, place) => [subject, known[place]]));
    return states.filter(({ subject, state }) => {
      const isChanged = remembered.get(subject) !== state;
      remembered.set(subject, state);
      return isChanged;
    });
  }

  async function tellOne({ subject, state, was, notice }: NoticeState): Promise<number> {
    const id = randomBytes(ID_BYTES).toString('base64url');
    const takenBy = notice && (about.length === 0 || about.includes(notice.kind)) ? ways : [];
    const basis = was === undefined ? '' : `was ${was}`;
    const text = notice ? JSON.stringify(boundedNotice(notice)) : '';
    const arose = await script(
      [keys.noticeStates, keys.notice(id), keys.noticesLately, keys.account, ...takenBy.map(keys.outbox)],
      [subject, state, basis, text, id, limits.keepMs, limits.listed, limits.waiting, TOO_MANY, ...takenBy],
    );
    return Number(arose);
  }

  return {
    async tell(states) {
      let arose = 0;
      for (let from = 0; from < states.length; from += COMPARED_AT_ONCE) {
        const changed = await changedOf(states.slice(from, from + COMPARED_AT_ONCE));
        for (const count of await Promise.all(changed.map(tellOne))) arose += count;
      }
      return arose;
    },
    ...makeDeliveries({ connection, keys, limits }),
    ...makeNoticeList({ connection, keys, limits }),
  } satisfies Outbox & Record<string, unknown>;
}

const TOO_MANY = 'too many notices wait already to be sent this way, so this one is not sent';

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
  way: WayName;
  /** Number of attempts to send this notice, including the one that now begins. */
  tries: number;
  /** Failed attempts in a row on this channel, of any notice. */
  failures: number;
  /** Whether an earlier attempt was cut off, so that the notice may have arrived. */
  isAgain: boolean;
  /** A random text that identifies this process's lease on the notice. */
  owner: string;
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
  isDelivered: boolean;
  words: string;
  /** The receiving host. */
  where: string;
  /** Time until the next attempt at this notice. */
  waitMs: number;
  /** How long the channel pauses; `well` if the channel is not at fault; undefined if that is not known. */
  putOffMs: number | 'well' | undefined;
};

/** The outbox for the processes that deliver. */
function makeDeliveries({ connection, keys, limits }: OutboxStore) {
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

/** What an attempt made of the notice. `other`: the lease had ended, so another process has the notice. */
type AfterTry = 'delivered' | 'waiting' | 'undelivered' | 'other';
