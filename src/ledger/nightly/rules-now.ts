import type { Cause } from '../counts/cause.ts';
import type { FailingPortfolio } from '../counts/glances.ts';
import type { Portfolios } from '../portfolios/portfolios.ts';
import { isMeant } from './retry-rule.ts';
import type { KnownRule, RetryRules } from './retry-rules.ts';

/** A rule, what it did last, and how many rows it means now: those that used up their nights and some others among them do not go. */
export type RuleNow = KnownRule & { rows: number; portfolios: number };

/** Why rows are refused at this moment, over all portfolios. */
export type CauseNow = Pick<Cause, 'id' | 'step' | 'meaning' | 'status' | 'words' | 'rows'> & { portfolios: string[] };

export type RulesNow = { rules: RuleNow[]; causes: CauseNow[] };

/** So many portfolios with refused rows are looked at, the latest: a page waits for each of them. */
const MOST_LOOKED_AT = 200;

/**
 * The rules with how many rows each means now, by the indexes of causes, and the causes that a rule could name, that of most rows first.
 * Portfolios that are paused count for no rule.
 */
export async function rulesNow({
  retryRules,
  portfolios,
  failing,
}: {
  retryRules: Pick<RetryRules, 'known'>;
  portfolios: Pick<Portfolios, 'causes' | 'read'>;
  failing: (most: number) => Promise<FailingPortfolio[]>;
}): Promise<RulesNow> {
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
      const rows = found.reduce((sum, cause) => sum + (isMeant(one.rule, name, cause) ? cause.rows : 0), 0);
      one.rows += rows;
      one.portfolios += rows > 0 ? 1 : 0;
    }
  }
  return { rules, causes: [...causes.values()].sort((a, b) => b.rows - a.rows || (a.id < b.id ? -1 : 1)) };
}
