import { askedSessionsWords, askSessions, sessionsAskable } from '../../jobs/operators/ask-sessions.ts';
import { explainRow, rowByName } from '../../jobs/operators/explain-rows.ts';
import { retryRow } from '../../jobs/operators/retry-row.ts';
import { confirmPlan } from '../../jobs/plans/carry-out.ts';
import { makePlan } from '../../jobs/plans/make-plan.ts';
import { nameOtherRequests } from '../../jobs/rows/other-requests.ts';
import { buyerStory } from '../../jobs/story/buyer-story.ts';
import { findBuyers, findLines } from '../../jobs/story/find-buyers.ts';
import { lineOfRow, rowStory } from '../../jobs/story/row-story.ts';
import { CHANGED_SINCE } from '../../src/console/board/board-queue.ts';
import type { BuyersPageFunctions } from '../../src/console/pages/buyers/buyers-routes.ts';
import type { PlansPageFunctions } from '../../src/console/pages/plans/plans-routes.ts';
import type { RowPageFunctions } from '../../src/console/pages/row/row-routes.ts';
import { anyOf } from '../../src/console/pages/who-may.ts';
import type { Context } from '../../src/context.ts';
import { messageOf } from '../../src/errors.ts';
import { inTime } from '../../src/in-time.ts';
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
      await inTime(ended, AT_ONCE_MS, () => {});
      return 'started';
    },
  };
}

export function buyersPageFunctions(context: Context): BuyersPageFunctions {
  return {
    meanings: context.statusMeanings.read,
    find: (text, range) => findBuyers(text, range, context),
    lines: (text) => findLines(text, context),
    story: (key, range) => buyerStory(key, range, context),
  };
}

/** How long a page searches for a row's line, also on a busy machine. Longer if a person asks for the line. */
const LINE_MS = 1_000;
const PATIENT_LINE_MS = 30_000;

/** The highest line number for which a page searches at once. For lines further down the page would take long. */
const NEAR_LINE = 5_000;

export function rowPageFunctions(context: Context, whoMay: WhoMayReader): RowPageFunctions {
  return {
    archived: context.archives.read,
    meanings: context.statusMeanings.read,
    whoMay: async (name) => whoMay(await context.portfolios.read(name)),
    beside: ({ portfolio, key }, list) => context.rows.beside(portfolio, key, list),
    asksSessions: (portfolio) => sessionsAskable(context.settings, portfolio),
    async askSession({ portfolio, key: row }, given) {
      const asked = await askSessions({ portfolio, row }, given, context);
      return asked.asked > 0 ? undefined : askedSessionsWords(asked, '');
    },

    async story(row, { patient, signal }) {
      const story = await rowStory(row, context);
      if (!story) return undefined;
      const { line, importId } = story.result;
      const limitMs = patient ? PATIENT_LINE_MS : LINE_MS;
      const deps = { imports: context.imports, limitMs, signal };
      if (!patient && line > NEAR_LINE) return { story, line: { is: 'far' } };
      return { story, line: await lineOfRow(line, story.imports.get(importId), deps) };
    },

    async retry({ portfolio, key }, by, from, seenMs) {
      const found = await rowByName(portfolio, key, context);
      if (typeof found === 'string') return { is: 'stays', why: found };
      if (seenMs !== undefined && found.result.state === from && found.result.sinceMs !== seenMs) {
        return { is: 'stays', why: CHANGED_SINCE };
      }
      const retried = await retryRow(found.row, by, context, from);
      if (retried.is === 'waits') return retried;
      if (retried.is !== 'again') return { is: 'stays', why: await explainRow(found, context) };
      return { is: 'again', isPaused: (await context.portfolios.read(portfolio)).paused !== undefined };
    },
  };
}
