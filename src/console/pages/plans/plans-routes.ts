import type { FastifyReply, FastifyRequest } from 'fastify';
import { PLAN_ACTIONS, type Plan, type PlanAction, type PlanState } from '../../../ledger/plans/plan.ts';
import { filterFromQuery, type Query, queryOfFilter, type RowFilter } from '../../../ledger/search/row-filter.ts';
import { type About, OPERATOR, OWN_OR_OPERATOR, SEES_BUYERS } from '../../access/access.ts';
import { ConsoleError } from '../../console-app.ts';
import { type Html, html, t } from '../../html/html.ts';
import { pageHead } from '../../parts/blocks.ts';
import { page, type Visit } from '../page.ts';
import { outcomeBody, outcomeTitle, planBody, planTitle } from './plan-view.ts';

export type PlansPageFunctions = {
  /** Makes a plan: counts its rows and keeps it, and changes nothing else. Undefined where there is no such portfolio. */
  make: (request: {
    portfolio: string;
    action: PlanAction;
    filter: RowFilter;
    by: string;
  }) => Promise<PlanState | undefined>;
  read: (id: string) => Promise<PlanState | undefined>;
  /** Confirms the plan and answers at once; the work continues in the background until `signal` is aborted. */
  confirm: (id: string, by: string, signal: AbortSignal) => Promise<Confirmation>;
};

/**
 * The result of a confirmation. `started`: it began the work, which may be done by now; `running`: the work is under way already;
 * `ended`: an earlier confirmation had done it. Nothing is done where another file was imported since the plan was made
 * (`changed`), or where the plan is too old (`gone`).
 */
type Confirmation = 'started' | 'running' | 'ended' | 'changed' | 'gone';

const PLANS_PER_MINUTE = 60;

/** Finance may cancel and retry rows of their own portfolios; only operators send a held row again. */
const PLAN_RULE = {
  ...OWN_OR_OPERATOR,
  kinds: { retry: OWN_OR_OPERATOR, cancel: OWN_OR_OPERATOR, resend: OPERATOR },
} as const;

/**
 * Every action on more than one row. `/plans/new` counts and shows what it would do, as a page or a dialog. The confirmation
 * sends only the plan's id. `/plans/ID` shows progress and outcome, also to people who may not make a plan.
 */
export const planningPage = page<PlansPageFunctions>({ at: 'portfolios' }, ({ get, events, post }) => [
  get('/plans/new', {
    may: PLAN_RULE,
    // The number of plans is limited, since each plan counts rows and is kept, and a person needs few.
    perMinute: PLANS_PER_MINUTE,
    about: ({ query }) => {
      const { portfolio, action } = askedOf(query);
      return { portfolio, kind: action };
    },
    show: async ({ request, reply, query, given }) => {
      const { portfolio, action } = askedOf(query);
      const filter = filterFromQuery(query);
      // The person was to select rows and has selected none. A plan without rows would cover all rows of the portfolio.
      if (query.chosen !== undefined && !filter.rows) throw new ConsoleError(422, t`Select at least one row first.`);
      const state = await given.make({ portfolio, action, filter, by: request.person.by });
      if (!state) throw new ConsoleError(404, t`There is no portfolio "${portfolio}".`);
      return answer(state, { request, reply });
    },
  }),
  get('/plans/:id', {
    may: SEES_BUYERS,
    about: aboutPlan,
    show: async ({ request, reply, params, given }) => answer(await find(params, given), { request, reply }),
  }),
  events('/plans/:id/events', {
    may: SEES_BUYERS,
    key: ({ id = '' }) => id,
    about: aboutPlan,
    frames: (given) => async (id, rights) => {
      const state = await given.read(id);
      if (!state || state.standing === 'open') return [];
      return [
        { id: 'plan-title', html: html`${outcomeTitle(state)}` },
        { id: 'plan', html: outcomeBody(state, { rights }) },
      ];
    },
  }),
  post('/plans/:id/confirm', {
    may: PLAN_RULE,
    action: 'plan',
    about: aboutPlan,
    handle: async ({ params: { id = '' }, actor, reply, tell, given, stopping }) => {
      const became = await given.confirm(id, actor.name, stopping);
      tell({ became, ...(await cameOf(id, given)) });
      if (became === 'gone') throw new ConsoleError(409, GONE);
      if (became === 'changed') throw new ConsoleError(409, CHANGED);
      return reply.redirect(`/plans/${id}${became === 'started' ? '' : '?twice'}`, 303);
    },
  }),
]);

async function aboutPlan({ params, given }: Pick<Visit<PlansPageFunctions>, 'params' | 'given'>): Promise<About> {
  const { plan } = await find(params, given);
  return { portfolio: plan.portfolio, kind: plan.action, facts: factsOf(plan) };
}

const GONE = t`This plan is too old to be confirmed: a plan is open for 15 minutes. Nothing was changed; go back and plan it anew.`;
const CHANGED = t`Another file was imported into this portfolio since the plan was made, and its rows were in no plan. Nothing was changed; go back and plan it anew.`;

/** The action and portfolio that an address asks for. @throws ConsoleError for an unknown action */
function askedOf(query: Query): { portfolio: string; action: PlanAction } {
  const portfolio = typeof query.portfolio === 'string' ? query.portfolio : '';
  const action = PLAN_ACTIONS.find((one) => one === query.action);
  if (!action) throw new ConsoleError(422, t`There is no such action; use one of: ${PLAN_ACTIONS.join(', ')}.`);
  return { portfolio, action };
}

/** What the audit records of a plan. A searched text may be a person's name, so only its existence is recorded. */
function factsOf({ id, action, filter, rows, sum, isExact, calls }: Plan): About['facts'] {
  const { text, ...rest } = filter;
  const named = `${queryOfFilter(rest)}${text === undefined ? '' : t` and found by a text`}`;
  return { plan: id, action, filter: named, rows, sum, isExact, calls };
}

/** How far the plan is, for the audit. */
async function cameOf(id: string, { read }: PlansPageFunctions): Promise<Record<string, unknown>> {
  const state = await read(id);
  return state ? { standing: state.standing, done: state.done, leftAlone: state.came } : {};
}

async function find({ id = '' }: Visit<unknown>['params'], { read }: PlansPageFunctions): Promise<PlanState> {
  const state = await read(id);
  if (!state) throw new ConsoleError(404, t`There is no such plan, or it has expired. Go back and make a new one.`);
  return state;
}

function answer(state: PlanState, { request, reply }: { request: FastifyRequest; reply: FastifyReply }) {
  const { plan, standing } = state;
  const isOpen = standing === 'open';
  const title = isOpen ? planTitle(plan) : outcomeTitle(state);
  const shown = { csrf: reply.csrf(), rights: request.rights };
  const body = isOpen ? planBody(state, shown) : outcomeBody(state, shown);
  if (isOpen && request.headers['x-fragment'] !== undefined) {
    return reply.fragment(html`<h2 class="dialog-title">${title}</h2>${body}`);
  }
  const twice = 'twice' in (request.query as Query) && !isOpen;
  const trail = [
    { href: '/', words: t`Portfolios` },
    { href: `/portfolios/${encodeURIComponent(plan.portfolio)}`, words: plan.portfolio },
  ];
  return {
    title,
    body: html`${pageHead({ title: html`<span id="plan-title">${title}</span>`, trail })}${twice && alreadyConfirmed()}<div id="plan" class="panel plan">${body}</div>`,
    ...(isOpen ? {} : { events: `/plans/${encodeURIComponent(plan.id)}/events` }),
  };
}

function alreadyConfirmed(): Html {
  return html`<p class="lead" role="alert">It was confirmed already, perhaps in another tab. It runs only once; this is its progress.</p>`;
}
