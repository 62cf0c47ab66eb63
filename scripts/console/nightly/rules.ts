import { addRule } from '../../../jobs/nightly/add-rule.ts';
import type { RuleFunctions } from '../../../src/console/pages/nightly/rules-view.ts';
import type { Context } from '../../../src/context.ts';
import { rulesNow } from '../../../src/ledger/nightly/rules-now.ts';

/** What the page *Nightly* is handed of the rules by which refused rows go again. */
export function ruleFunctions(context: Pick<Context, 'retryRules' | 'portfolios' | 'failing'>): RuleFunctions {
  return {
    look: () => rulesNow(context),
    add: async (wish, by) => (await addRule(wish, by, context)).id,
    remove: async (id) => (await context.retryRules.remove(id)) !== undefined,
  };
}
