import { randomInt } from 'node:crypto';
import { counted, grouped } from '../../counted.ts';
import { LimitlineError } from '../../errors.ts';
import type { Cause } from '../counts/cause.ts';
import type { FailingPortfolio } from '../counts/glances.ts';
import type { Portfolios } from '../portfolios/portfolios.ts';
import type { ApprovalId } from '../schema/approval.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import { redisNowMs } from '../schema/redis-reads.ts';
import { type RetryRule, ruleMatches } from './retry-rule.ts';

/** What a rule did in the last night in which it did anything. `sent` and `waiting` grow as rows are moved, `usedUp` is set at the end. */
export type RuleNight = { atMs: number; sent: number; waiting: number; usedUp: number };

export type KnownRule = { rule: RetryRule; last: RuleNight | undefined };

export type RetryRules = ReturnType<typeof makeRetryRules>;

/** Most rules: as many as a person can oversee; each is compared with each cause. */
const MOST_RULES = 100;

/** Rules that send refused rows again at night. Each row keeps the number of its nights; see rare-moves.lua. */
export function makeRetryRules({ connection, keys }: LedgerPlace) {
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
    /** All rules, the oldest first. */
    known,

    /** @throws LimitlineError `USAGE` if another rule matches the same rows, or there are too many rules */
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
      // A rule counts as made later than all others, so that rules of the same moment keep their order.
      const last = others.at(-1)?.madeMs ?? 0;
      // By Redis' clock, since this time is compared with the time of a restore, which is Redis' too.
      const nowMs = await redisNowMs(connection);
      const rule: RetryRule = { ...given, id: freshId(), madeMs: Math.max(nowMs, last + 1) };
      await connection.hset(key, rule.id, JSON.stringify(rule));
      return rule;
    },

    /** Deletes a rule: from now on it sends no row. Answers the rule; undefined if there is none of this id. */
    async remove(id: string): Promise<RetryRule | undefined> {
      const text = id.includes(' ') ? null : await connection.hget(key, id);
      if (text === null) return undefined;
      await connection.hdel(key, id, `${id} last`, `${id} used`);
      return JSON.parse(text) as RetryRule;
    },

    /** Notes how many rows had used up their nights at the end of a run; does nothing for a deleted rule. */
    async noteUsedUp(id: string, { atMs, usedUp }: { atMs: number; usedUp: number }): Promise<void> {
      if ((await connection.hexists(key, id)) === 1) await connection.hset(key, `${id} used`, `${atMs} ${usedUp}`);
    },

    /** Approvals that runs are asking for, one a portfolio. If a run dies its approval stays open, and the next run continues it. */
    async asks(): Promise<ApprovalId[]> {
      const fields = Object.entries(await connection.hgetall(key));
      return fields.flatMap(([name, id]) =>
        name.startsWith(ASKS) ? [{ portfolio: name.slice(ASKS.length), id }] : [],
      );
    },

    /** Notes the approval that a run asks for in this portfolio; without one, that the approval was asked for completely. */
    async noteAsks(portfolio: string, approval?: string): Promise<void> {
      const field = `${ASKS}${portfolio}`;
      await (approval === undefined ? connection.hdel(key, field) : connection.hset(key, field, approval));
    },

    /** When a portfolio was restored from its archive, by Redis' clock; 0 for never. */
    async restoredMs(portfolio: string): Promise<number> {
      return Number((await connection.zscore(keys.restored, portfolio)) ?? 0);
    },

    /** How often a portfolio was given up. Nightly rules do not send rows that were imported or sent before the last time. */
    async generation(portfolio: string): Promise<number> {
      return Number((await connection.hget(keys.portfolio(portfolio), 'cancels')) ?? 0);
    },
  };
}

const ASKS = 'asks ';

/** Reads a rule's last night from `<ms> <sent> <waiting>` and `<ms> <used up>`, which may be of different nights; the later one counts. */
function lastOf(moved: string | undefined, used: string | undefined): RuleNight | undefined {
  const [movedMs = 0, sent = 0, waiting = 0] = (moved ?? '').split(' ').map(Number);
  const [usedMs = 0, usedUp = 0] = (used ?? '').split(' ').map(Number);
  const atMs = Math.max(movedMs, usedMs);
  if (atMs === 0) return undefined;
  const isMoved = movedMs === atMs;
  return { atMs, sent: isMoved ? sent : 0, waiting: isMoved ? waiting : 0, usedUp: usedMs === atMs ? usedUp : 0 };
}

/** The part of a rule that says which rows it matches, as text; two rules with the same text match the same rows. */
function meantBy({ cause, step, status, words, portfolio }: Omit<RetryRule, 'id' | 'madeMs'>): string {
  return JSON.stringify([cause, step, status, words?.toLowerCase(), portfolio]);
}

/** Five letters and digits that cannot be confused: among a hundred rules two alike are less likely than one in 5,000. */
const freshId = (): string => Array.from({ length: 5 }, () => LETTERS[randomInt(LETTERS.length)]).join('');

const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** A rule, its last night, and the number of rows that it matches now, including rows with all nights used up. */
export type RuleNow = KnownRule & { rows: number; portfolios: number };

/** A cause of refused rows, over all portfolios. */
export type CauseNow = Pick<Cause, 'id' | 'step' | 'meaning' | 'status' | 'words' | 'rows'> & { portfolios: string[] };

export type RulesNow = { rules: RuleNow[]; causes: CauseNow[] };

/** So many portfolios with refused rows are read at most, the latest first. The nightly page is shown once all are read. */
const MOST_LOOKED_AT = 200;

/**
 * The rules with the number of rows that each matches now, by the indexes of causes; and the causes that a rule could name, the one with
 * most rows first. Rows of paused portfolios count for no rule.
 */
export async function rulesNow(given: {
  retryRules: Pick<RetryRules, 'known'>;
  portfolios: Pick<Portfolios, 'causes' | 'read'>;
  failing: (most: number) => Promise<FailingPortfolio[]>;
}): Promise<RulesNow> {
  const { retryRules, portfolios, failing } = given;
  const rules = (await retryRules.known()).map((known): RuleNow => ({ ...known, rows: 0, portfolios: 0 }));
  const causes = new Map<string, CauseNow>();
  for (const { name, refused } of await failing(MOST_LOOKED_AT)) {
    if (refused === 0) continue;
    const found = (await portfolios.causes(name)).filter(({ meaning }) => meaning !== 'unknown');
    const isPaused = (await portfolios.read(name)).paused !== undefined;
    for (const cause of found) {
      const { id, step, meaning, status, words, rows } = cause;
      const known = causes.get(id) ?? { id, step, meaning, status, words, rows: 0, portfolios: [] };
      causes.set(id, { ...known, rows: known.rows + rows, portfolios: [...known.portfolios, name] });
    }
    for (const one of isPaused ? [] : rules) {
      const rows = found.reduce((sum, cause) => sum + (ruleMatches(one.rule, name, cause) ? cause.rows : 0), 0);
      one.rows += rows;
      one.portfolios += rows > 0 ? 1 : 0;
    }
  }
  return { rules, causes: [...causes.values()].sort((a, b) => b.rows - a.rows || (a.id < b.id ? -1 : 1)) };
}

/** `120 rows sent again, 12 rows with all nights used up`: what a rule did in a night. */
export function ruleNightWords({ sent, waiting, usedUp }: Pick<RuleNight, 'sent' | 'waiting' | 'usedUp'>): string {
  const parts = [
    sent > 0 ? `${counted(sent, 'row')} sent again` : '',
    waiting > 0 ? `${sent > 0 ? grouped(waiting) : counted(waiting, 'row')} put to wait for approval` : '',
    usedUp > 0 ? `${counted(usedUp, 'row')} with all nights used up` : '',
  ].filter(Boolean);
  return parts.join(', ') || 'no row to send';
}
