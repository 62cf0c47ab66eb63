import { setTimeout as sleep } from 'node:timers/promises';
import { confirmPlan } from '../../jobs/plans/carry-out.ts';
import { makePlan } from '../../jobs/plans/make-plan.ts';
import { nameOtherRequests } from '../../jobs/rows/other-requests.ts';
import type { PlansPageFunctions } from '../../src/console/pages/plans/plans-routes.ts';
import { anyOf } from '../../src/console/pages/who-may.ts';
import type { Context } from '../../src/context.ts';
import { messageOf } from '../../src/errors.ts';
import { whyWords } from '../../src/ledger/schema/approval.ts';
import { untilResumed } from '../../src/ledger/schema/pause-reasons.ts';
import { knownRate } from '../../src/open-service.ts';
import type { WhoMayReader } from './people/who-may.ts';

/** How long a page waits for a plan's end. After that, it shows the progress. */
const AT_ONCE_MS = 1_200;

export function plansPageFunctions(context: Context, whoMay: WhoMayReader): PlansPageFunctions {
  const { approvals, portfolios, plans, log } = context;

  const read = async (id: string) => {
    const state = await plans.read(id);
    if (!state) return undefined;
    const portfolio = await portfolios.read(state.plan.portfolio);
    const paused = portfolio.paused === undefined ? undefined : untilResumed(anyOf((await whoMay(portfolio)).resume));
    const asked = state.waits === undefined ? undefined : await approvals.read(state.waits);
    const others = state.plan.others && (await nameOtherRequests(state.plan.others, context));
    return { ...state, paused, others, ...(asked && { why: whyWords(asked) }) };
  };

  return {
    async make(request) {
      await portfolios.mustBeHere(request.portfolio);
      const { startedMs } = await portfolios.read(request.portfolio);
      if (startedMs === undefined) return undefined;
      const plan = await makePlan(request, context, await knownRate(context));
      return read(plan.id);
    },

    read,

    async confirm(id, by, signal) {
      // Calls in flight are not awaited: the page shows how many there are, and each answer ends its row.
      const confirmed = await confirmPlan({ id, by }, { awaitMs: 0, signal }, context);
      if (confirmed.is !== 'started') return confirmed.is;
      const ended = confirmed.ended.catch((error) => {
        log.warn({ plan: id, reason: messageOf(error) }, 'a plan was left half done; confirmed again, it goes on');
      });
      log.info(
        { plan: id, portfolio: confirmed.state.plan.portfolio, action: confirmed.state.plan.action, by },
        'a plan was confirmed',
      );
      const waiting = new AbortController();
      await Promise.race([ended, sleep(AT_ONCE_MS, undefined, { signal: waiting.signal }).catch(() => {})]);
      waiting.abort();
      return 'started';
    },
  };
}
