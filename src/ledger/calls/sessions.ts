import { randomUUID } from 'node:crypto';
import { makeGatedScript } from '../schema/gated-script.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import { scanned } from '../schema/redis-reads.ts';
import type { RowResult } from '../schema/row.ts';
import { type RowId, rowIdOf, rowName } from '../schema/schema.ts';
import type { RetryUntilAnswered } from '../schema/until-answered.ts';
import { contentDigest } from './claim-answers.ts';
import { listFormerSessions } from './former-sessions.ts';

/**
 * The answer to a person who asks for a hosted session of a row's limit. `asked`: the session is listed to be sent. `waits`: a session
 * already waits or is under way. `made`: one exists. `held`: the outcome of the last one is unknown. `none`: the row has no such limit.
 */
export type SessionAnswer = 'asked' | 'waits' | 'made' | 'held' | 'none';

/** Whether a person can ask for a session of a portfolio's rows. */
export type SessionsAskable = 'yes' | 'not described' | 'no supplier';

/** A hosted session that waits to be sent, with the row for which it was asked. `key` names the session's call. */
export type SessionWish = { row: RowId; key: string };

/**
 * A hosted session of a limit. `waits` to be sent; `sent`: under way; `made`; `held`: its outcome is unknown; `refused` by the service;
 * `dropped`: given up before it was sent.
 */
export type HostedSession = {
  number: number;
  state: 'waits' | 'sent' | 'made' | 'held' | 'refused' | 'dropped';
  /** Who asked for the session, and when, in ms. `''` and undefined for a session that a results file brought back. */
  by: string;
  askedMs: number | undefined;
  /** When the call for the session was last claimed to be sent, in ms; undefined if it never was. */
  sentMs: number | undefined;
  /** The link that the service answered; '' for none. Pages mask it for viewers. */
  sessionLink: string;
  /** The link's end in the service's words; '' for none. Pages show it to viewers, too. */
  sessionEnds: string;
  /** Why this session was given up, as the end of a sentence; '' if it was not, or was given up with its whole portfolio. */
  dropped: string;
  /** The service's response if it contained no link; '' for none. Pages mask the field of this name for viewers. */
  sessionHeard: string;
};

/** Rows of a portfolio whose limit's last hosted session has no link, by the reason: it was refused, or its outcome is unknown (`held`). */
export type FailedSessions = Record<'refused' | 'held', (RowId & Pick<HostedSession, 'sessionHeard'>)[]>;

/** The most sessions of a limit that are read, the latest. Few have more, since a person asks for each session. */
const MOST_READ = 20;

/** About how many waiting sessions are read at once when all of them are searched. */
const PAGE = 1_000;

export type HostedSessions = ReturnType<typeof makeHostedSessions>;

/**
 * Hosted sessions. A person asks for them, and each is a call of its own. A limit's sessions are numbered from 1, so a late answer never
 * changes a newer session. Rows with the same limit share its sessions.
 */
export function makeHostedSessions(options: LedgerPlace & { retryUntilAnswered: RetryUntilAnswered }) {
  const { connection, keys, retryUntilAnswered } = options;
  const askScript = makeGatedScript(connection, 'ask-session');
  const change = makeGatedScript(connection, 'general#change-fields');
  const callKey = (key: string) => keys.call('session', key);

  const wishOf = (member: string): SessionWish[] => {
    const space = member.lastIndexOf(' ');
    const row = rowIdOf(member.slice(0, space));
    return row ? [{ row, key: member.slice(space + 1) }] : [];
  };

  const countOf = async (limitId: string): Promise<number> =>
    Number((await connection.hget(keys.sessionsAsked, contentDigest(limitId))) ?? 0);

  async function allOf(portfolio: string): Promise<SessionWish[]> {
    const found = new Set<string>();
    for await (const page of scanned((at) => connection.zscan(keys.sessions, at, 'COUNT', String(PAGE))))
      for (const [at, member] of page.entries())
        if (at % 2 === 0 && member.startsWith(`${portfolio}/`)) found.add(member);
    return [...found].flatMap(wishOf);
  }

  async function read(thing: string, number: number): Promise<HostedSession | undefined> {
    const fields = await connection.hgetall(callKey(`${thing}.${number}`));
    if (fields.state === undefined) return undefined;
    const { link = '', ends = '' } = fields.record ? JSON.parse(fields.record) : {};
    return {
      number,
      state: await standingOf(fields),
      by: fields.wisher ?? '',
      askedMs: fields.wished === undefined ? undefined : Number(fields.wished),
      sentMs: fields.at === undefined ? undefined : Number.parseInt(fields.at, 10),
      sessionLink: link,
      sessionEnds: ends,
      dropped: fields.dropped ?? '',
      sessionHeard: fields.heard ?? '',
    };
  }

  async function standingOf({ state, wanted, row = '', heard }: Record<string, string>) {
    if (state === 'made') return 'made';
    if (state === 'claimed') return 'sent';
    if (state === 'unknown') return 'held';
    if (wanted === undefined) return heard === undefined ? 'dropped' : 'refused';
    const [cancels, archive] = await connection.hmget(
      keys.portfolio(rowIdOf(row)?.portfolio ?? ''),
      'cancels',
      'archive',
    );
    return archive || Number(wanted) < Number(cancels ?? 0) ? 'dropped' : 'waits';
  }

  return {
    /**
     * Writes down that a person wants a session for a row's limit.
     *
     * @param anew whether a new one is wanted on purpose, where one was made or nobody knows whether one was; as a number, only behind the
     *   session with that number, the last one that the person saw
     * @param despite whether the person wants the session even though the limit was declined
     * @throws LimitlineError `USAGE` for a row of an archived portfolio
     */
    async ask(
      row: RowId,
      limitId: string,
      { by, anew, despite = false }: { by: string; anew: boolean | number; despite?: boolean },
    ): Promise<SessionAnswer> {
      const places = {
        row: keys.row(row.portfolio, row.key),
        portfolio: keys.portfolio(row.portfolio),
        counts: keys.sessionsAsked,
        wishes: keys.sessions,
        calls: callKey(''),
      };
      const after = anew === true ? await countOf(limitId) : anew === false ? '' : anew;
      const thing = contentDigest(limitId);
      const told = { name: rowName(row), limit: limitId, thing, after, despite: despite ? '1' : '', by };
      const word = randomUUID();
      const answer = await retryUntilAnswered('ask for a session', () => askScript(places, { ...told, word }));
      return (answer as [SessionAnswer])[0];
    },

    /** The row with the id of its buyer's company. A row whose limit was made before has no company id of its own. */
    async withCompany(result: RowResult): Promise<RowResult> {
      if (result.companyId || result.request.companyId) return result;
      const companyId = await connection.hget(keys.call('company', result.request.buyer), 'id');
      return { ...result, companyId: companyId ?? '' };
    },

    /** Sessions that wait to be sent or are under way, the oldest first: `count` of them, by default all, after skipping `from`. */
    waiting: async ({ from = 0, count = Number.POSITIVE_INFINITY } = {}): Promise<SessionWish[]> =>
      (
        await connection.zrange(keys.sessions, String(from), Number.isFinite(count) ? String(from + count - 1) : '-1')
      ).flatMap(wishOf),

    /**
     * Takes a session off the list of waiting sessions, once nothing is sent for it any more. `drops` also withdraws the person's request
     * for the session, and `fails` puts it on the list that {@link failed} reads.
     */
    async end({ row, key }: SessionWish, { drops = false, fails = false } = {}): Promise<void> {
      if (drops) await connection.hdel(callKey(key), 'wanted');
      if (fails) await connection.sadd(keys.sessionsFailed, `${rowName(row)} ${key}`);
      await connection.zrem(keys.sessions, `${rowName(row)} ${key}`);
    },

    /**
     * Withdraws a person's request for a hosted session whose limit the service has declined since, and notes that as the reason. Answers
     * false, and withdraws nothing, if the session is being sent, or if the person wanted it although the limit was declined.
     */
    async dropDeclined(wish: SessionWish): Promise<boolean> {
      const asRead = ['IS', 'state', 'free', 'IS', 'despite', ''];
      const changes = [...asRead, 'HDEL', 'wanted', '', 'HSET', 'dropped', 'the service declined its limit'];
      if ((await change({ hash: callKey(wish.key) }, { changes })) === null) return false;
      await this.end(wish);
      return true;
    },

    /** Counts that the service put a session off, or answered it with 401, and answers how often that was by now. */
    count: (key: string, what: 'putOffs' | 'unauthorized'): Promise<number> =>
      connection.hincrby(callKey(key), what, 1),

    /** How many sessions of the account were made or refused so far. */
    async answered(): Promise<number> {
      const counts = await connection.hmget(keys.account, 'made:session', 'refused:session');
      return counts.reduce((sum, count) => sum + Number(count ?? 0), 0);
    },

    /**
     * The sessions of a portfolio that are under way: those `among` the given ones, by default of all, for which it reads all waiting
     * sessions of the account.
     */
    async underWay(portfolio: string, among?: readonly SessionWish[]): Promise<SessionWish[]> {
      const own = among ?? (await allOf(portfolio));
      const states = await Promise.all(own.map(({ key }) => connection.hget(callKey(key), 'state')));
      return own.filter((_wish, at) => states[at] === 'claimed');
    },

    /** The sessions of a portfolio that were refused, or whose outcome is unknown; of each limit only the last session. */
    async failed(portfolio: string): Promise<FailedSessions> {
      await listFormerSessions(connection, keys);
      // The list of waiting sessions is read too: it may still have a session whose outcome is unknown, since its sender was killed.
      const waiting = await allOf(portfolio);
      const listed = await connection.smembers(keys.sessionsFailed);
      const members = listed.filter((member) => member.startsWith(`${portfolio}/`));
      const wishes = [...new Map([...waiting, ...members.flatMap(wishOf)].map((wish) => [wish.key, wish])).values()];
      const calls = await Promise.all(
        wishes.map(({ key }) => {
          const thing = key.slice(0, key.lastIndexOf('.'));
          return Promise.all([
            connection.hget(keys.sessionsAsked, thing),
            connection.hmget(callKey(key), 'state', 'wanted', 'heard'),
          ]);
        }),
      );
      const found: FailedSessions = { refused: [], held: [] };
      for (const [at, [last, [state, wanted, heard]]] of calls.entries()) {
        const { row, key } = wishes[at] as SessionWish;
        const told = { ...row, sessionHeard: heard ?? '' };
        if (!key.endsWith(`.${last}`)) continue;
        if (state === 'unknown') found.held.push(told);
        if (state === 'free' && wanted === null && heard !== null) found.refused.push(told);
      }
      return found;
    },

    /** Whether anybody ever asked for a session in this account. */
    isUsed: async (): Promise<boolean> => (await connection.exists(keys.sessionsAsked)) === 1,

    /** The last link that the service answered for each of these limits, in order; '' for none. One request to Redis if none was asked for. */
    async linksOf(limitIds: readonly string[]): Promise<string[]> {
      const things = limitIds.map(contentDigest);
      const counts = things.length === 0 ? [] : await connection.hmget(keys.sessionsAsked, ...things);
      return Promise.all(
        things.map(async (thing, place) => {
          for (let number = Number(counts[place] ?? 0); number > 0; number -= 1) {
            const link = (await read(thing, number))?.sessionLink;
            if (link) return link;
          }
          return '';
        }),
      );
    },

    /** The portfolio for whose row the last session of a limit was asked for; undefined for none. */
    async askedIn(limitId: string): Promise<string | undefined> {
      const thing = contentDigest(limitId);
      const count = (await connection.hget(keys.sessionsAsked, thing)) ?? '0';
      return rowIdOf((await connection.hget(callKey(`${thing}.${count}`), 'row')) ?? '')?.portfolio;
    },

    /**
     * Restores the link of a results file as a further session of the limit, or only says whether it would. Sessions that the ledger knows
     * stay as they are.
     *
     * @param row `<portfolio>/<row key>`, with which the link is forgotten
     */
    async putBack(
      limitId: string,
      { link, row }: { link: string; row: string },
      { write }: { write: boolean },
    ): Promise<'put' | 'known'> {
      const known = await this.of(limitId);
      if (known.some(({ sessionLink }) => sessionLink === link)) return 'known';
      if (!write) return 'put';
      const thing = contentDigest(limitId);
      const number = (await countOf(limitId)) + 1;
      const key = `${thing}.${number}`;
      const made = { state: 'made', id: key, row, record: JSON.stringify({ link }) };
      await connection.multi().hset(callKey(key), made).hset(keys.sessionsAsked, thing, number).exec();
      return 'put';
    },

    /** The sessions of a limit, the latest first. */
    async of(limitId: string): Promise<HostedSession[]> {
      if (limitId === '') return [];
      const thing = contentDigest(limitId);
      const count = await countOf(limitId);
      const numbers = Array.from({ length: Math.min(count, MOST_READ) }, (_none, at) => count - at);
      const found = await Promise.all(numbers.map((number) => read(thing, number)));
      return found.filter((session) => session !== undefined);
    },
  };
}
