import { LimitlineError } from '../../src/errors.ts';
import type { FailingPortfolio } from '../../src/ledger/counts/glances.ts';
import { causeWords, type RetryRule, type RuleForm, readRule } from '../../src/ledger/nightly/retry-rule.ts';
import type { RetryRules } from '../../src/ledger/nightly/retry-rules.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';

type RuleDeps = {
  retryRules: Pick<RetryRules, 'add'>;
  portfolios: Pick<Portfolios, 'causes' | 'read' | 'mustBeHere'>;
  failing: (most: number) => Promise<FailingPortfolio[]>;
};

/**
 * Adds a retry rule. Its cause or portfolio must exist: a misspelt one would match nothing, night after night.
 *
 * @throws LimitlineError `USAGE` for an invalid rule or an archived portfolio, `NOT_FOUND` for an unknown cause or portfolio
 */
export async function addRule(form: RuleForm, by: string, deps: RuleDeps): Promise<RetryRule> {
  const rule = readRule(form);
  const { cause, portfolio } = rule;
  if (portfolio !== undefined) await deps.portfolios.mustBeHere(portfolio);
  if (portfolio !== undefined && (await deps.portfolios.read(portfolio)).startedMs === undefined) {
    throw new LimitlineError('NOT_FOUND', `There is no portfolio "${portfolio}": see limitline portfolios.`);
  }
  const known = cause === undefined ? undefined : await knownOf(cause, portfolio, deps);
  return deps.retryRules.add({ ...rule, by, ...(known === undefined ? {} : { known }) });
}

async function knownOf(id: string, portfolio: string | undefined, { portfolios, failing }: RuleDeps): Promise<string> {
  const names =
    portfolio === undefined ? (await failing(Number.POSITIVE_INFINITY)).map(({ name }) => name) : [portfolio];
  for (const name of names) {
    const cause = (await portfolios.causes(name)).find((one) => one.id === id);
    if (cause?.meaning === 'unknown') {
      throw new LimitlineError(
        'USAGE',
        `Rows of cause ${id} are held: a person must say what became of each (resolve).`,
      );
    }
    if (cause) return causeWords(cause);
  }
  const words = `No row is refused for cause ${id} now: its id stands in limitline report NAME --causes.`;
  throw new LimitlineError('NOT_FOUND', words);
}
