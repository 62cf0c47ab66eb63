import { randomInt } from 'node:crypto';
import { LimitlineError } from '../../errors.ts';
import type { RedisConnection } from '../../lua-script.ts';
import type { ApprovalId } from '../schema/approval.ts';
import type { Keys } from '../schema/keys.ts';
import type { RetryRule } from './retry-rule.ts';

/** What a rule did in the last night in which it did anything. The first two are counted as rows are moved, the last at the end. */
export type RuleNight = { atMs: number; sent: number; waiting: number; usedUp: number };

/** A rule, and what it did last. */
export type KnownRule = { rule: RetryRule; last: RuleNight | undefined };

export type RetryRules = ReturnType<typeof makeRetryRules>;

/** As many as somebody can oversee; each is held against each cause. */
const MOST_RULES = 100;

/** The rules by which refused rows go again at night. A row remembers its own nights; see rare-moves.lua. */
export function makeRetryRules({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const key = keys.retryRules;

  async function known(): Promise<KnownRule[]> {
    const fields = await connection.hgetall(key);
    const found = Object.entries(fields).filter(([name]) => !name.includes(' '));
    return found
      .map(([id, text]) => ({
        rule: JSON.parse(text) as RetryRule,
        last: lastOf(fields[`${id} last`], fields[`${id} used`]),
      }))
      .toSorted((a, b) => a.rule.madeMs - b.rule.madeMs || (a.rule.id < b.rule.id ? -1 : 1));
  }

  return {
    /** All of them, the oldest first. */
    known,

    /** @throws LimitlineError `USAGE` where another means the same rows, or there are too many */
    async add(given: Omit<RetryRule, 'id' | 'madeMs'>): Promise<RetryRule> {
      const others = (await known()).map(({ rule }) => rule);
      const same = others.find((other) => meantBy(other) === meantBy(given));
      if (same) {
        const words = `Rule ${same.id} means the same rows, for ${same.nights} nights at most: remove it first.`;
        throw new LimitlineError('USAGE', words);
      }
      if (others.length >= MOST_RULES) {
        throw new LimitlineError('USAGE', `There are ${MOST_RULES} rules already: remove one first.`);
      }
      // After all others, so that rules of one moment keep their order.
      const last = others.at(-1)?.madeMs ?? 0;
      // Redis' clock: this moment is compared with the one at which a portfolio was restored, which is Redis' too.
      const [seconds, microseconds] = await connection.time();
      const nowMs = Math.floor(Number(seconds) * 1_000 + Number(microseconds) / 1_000);
      const rule: RetryRule = { ...given, id: freshId(), madeMs: Math.max(nowMs, last + 1) };
      await connection.hset(key, rule.id, JSON.stringify(rule));
      return rule;
    },

    /** From this moment on no row goes by it. Answers what it was; nothing where there is none of this id. */
    async remove(id: string): Promise<RetryRule | undefined> {
      const text = id.includes(' ') ? null : await connection.hget(key, id);
      if (text === null) return undefined;
      await connection.hdel(key, id, `${id} last`, `${id} used`);
      return JSON.parse(text) as RetryRule;
    },

    /** How many rows had used up their nights when a rule was gone through. One that was removed meanwhile is left so. */
    async noteUsedUp(id: string, { atMs, usedUp }: { atMs: number; usedUp: number }): Promise<void> {
      if ((await connection.hexists(key, id)) === 1) await connection.hset(key, `${id} used`, `${atMs} ${usedUp}`);
    },

    /** The approvals that runs are just asking for, a portfolio each: one that died has left its open, and the next goes on with it. */
    async asks(): Promise<ApprovalId[]> {
      const fields = Object.entries(await connection.hgetall(key));
      return fields.flatMap(([name, id]) =>
        name.startsWith(ASKS) ? [{ portfolio: name.slice(ASKS.length), id }] : [],
      );
    },

    /** Remembers that, or with no approval that it was asked for to the end. */
    async noteAsks(portfolio: string, approval?: string): Promise<void> {
      const field = `${ASKS}${portfolio}`;
      await (approval === undefined ? connection.hdel(key, field) : connection.hset(key, field, approval));
    },

    /** When a portfolio was put back from its archive, by Redis' clock; 0 where it never was. */
    async restoredMs(portfolio: string): Promise<number> {
      return Number((await connection.zscore(keys.restored, portfolio)) ?? 0);
    },

    /** How often a portfolio was given up: rows of before are left alone. */
    async generation(portfolio: string): Promise<number> {
      return Number((await connection.hget(keys.portfolio(portfolio), 'cancels')) ?? 0);
    },
  };
}

const ASKS = 'asks ';

/** `<ms> <sent> <waiting>` and `<ms> <used up>`, of the same night or of two. */
function lastOf(moved: string | undefined, used: string | undefined): RuleNight | undefined {
  const [movedMs = 0, sent = 0, waiting = 0] = (moved ?? '').split(' ').map(Number);
  const [usedMs = 0, usedUp = 0] = (used ?? '').split(' ').map(Number);
  const atMs = Math.max(movedMs, usedMs);
  if (atMs === 0) return undefined;
  const isMoved = movedMs === atMs;
  return { atMs, sent: isMoved ? sent : 0, waiting: isMoved ? waiting : 0, usedUp: usedMs === atMs ? usedUp : 0 };
}

/** What makes two rules one: all that says which rows are meant. */
function meantBy({ cause, step, status, words, portfolio }: Omit<RetryRule, 'id' | 'madeMs'>): string {
  return JSON.stringify([cause, step, status, words?.toLowerCase(), portfolio]);
}

/** Five letters and digits that are not mistaken for each other: of a hundred rules two with one id are less likely than one in 5,000. */
function freshId(): string {
  return Array.from({ length: 5 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}

const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
