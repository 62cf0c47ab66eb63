import { makeHeldPlans } from '../../jobs/operators/held-plans.ts';
import { heldPage } from '../../jobs/story/held-desk.ts';
import { heldText } from '../../jobs/story/held-text.ts';
import type { HeldPageFunctions } from '../../src/console/pages/held/add-held-page.ts';
import type { Context } from '../../src/context.ts';

/** What the held desk is handed. */
export function heldPageFunctions(context: Context): HeldPageFunctions {
  const plans = makeHeldPlans(context);
  return {
    async page(range) {
      const { portfolio } = range;
      const isThere = portfolio === undefined || (await context.portfolios.read(portfolio)).startedMs !== undefined;
      return isThere ? heldPage(range, context) : undefined;
    },
    text: (items) => heldText(items, { account: context.account, nowMs: Date.now() }),
    plan: plans.plan,
    planRow: plans.planRow,
    confirm: plans.confirm,
  };
}
