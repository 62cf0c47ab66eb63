import type { FastifyReply, FastifyRequest } from 'fastify';
import { PLAN_ACTIONS, type Plan, type PlanAction, type PlanState } from '../../../ledger/plans/plan.ts';
import { filterFromQuery, type Query, queryOfFilter, type RowFilter } from '../../../ledger/search/row-filter.ts';
import type { About } from '../../access/access.ts';
import { addAction } from '../../actions/add-action.ts';
import { type ConsoleApp, ConsoleError } from '../../console-app.ts';
import { addEvents } from '../../events/add-events.ts';
import type { Frame, Hub } from '../../events/hub.ts';
import { type Html, html } from '../../html/html.ts';
import { pageHead } from '../../parts/page-head.ts';
import { outcomeBody, outcomeTitle } from './outcome-view.ts';
import { planBody, planTitle } from './plan-view.ts';

export type PlansPageFunctions = {
  /** Counts the rows and keeps the plan, and changes nothing else. Undefined where there is no such portfolio. */
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

/** `started` also covers a plan that has ended already. */
export type Confirmation = 'started' | 'running' | 'ended' | 'changed' | 'gone';

const PLANS_PER_MINUTE = 60;

/**
 * Every action on more than one row. `/plans/new` counts and shows what it would do, as a page or a dialog. The confirmation
 * sends only the plan's id. `/plans/ID` shows progress and outcome.
 */
export function addPlansPage(app: ConsoleApp, hub: Hub, given: PlansPageFunctions): void {
  const stopping = new AbortController();
  app.addHook('preClose', async () => stopping.abort(new Error('the console stops')));

  const aboutNew = async (request: FastifyRequest): Promise<About> => {
    const { portfolio, action } = askedOf(request);
    return { portfolio, kind: action };
  };
  const aboutPlan = async (request: FastifyRequest): Promise<About> => {
    const { plan } = await find(idOf(request), given);
    return { portfolio: plan.portfolio, kind: plan.action, facts: factsOf(plan) };
  };

  // Each plan counts rows and is kept, and one person needs few of them.
  const rateLimit = { max: PLANS_PER_MINUTE, timeWindow: '1 minute' };
  app.get('/plans/new', { config: { about: aboutNew, rateLimit } }, async (request, reply) => {
    const { portfolio, action } = askedOf(request);
    const filter = filterFromQuery(request.query as Query);
    const state = await given.make({ portfolio, action, filter, by: request.person.by });
    if (!state) throw new ConsoleError(404, `There is no portfolio "${portfolio}".`);
    return answer(state, { request, reply });
  });

  app.get('/plans/:id', { config: { about: aboutPlan } }, async (request, reply) =>
    answer(await find(idOf(request), given), { request, reply }),
  );

  addEvents(app, hub, {
    url: '/plans/:id/events',
    key: idOf,
    about: aboutPlan,
    frame: async (id, rights): Promise<Frame> => {
      const state = await given.read(id);
      if (!state || state.standing === 'open') return [];
      return [
        { id: 'plan-title', html: html`${outcomeTitle(state)}` },
        { id: 'plan', html: outcomeBody(state, { rights }) },
      ];
    },
  });

  addAction(app, {
    url: '/plans/:id/confirm',
    action: 'plan',
    about: aboutPlan,
    handle: async ({ params, actor, reply, tell }) => {
      const id = params.id ?? '';
      const became = await given.confirm(id, actor.name, stopping.signal);
      tell({ became, ...(await cameOf(id, given)) });
      if (became === 'gone') throw new ConsoleError(409, GONE);
      if (became === 'changed') throw new ConsoleError(409, CHANGED);
      return reply.redirect(`/plans/${id}${became === 'started' ? '' : '?twice'}`, 303);
    },
  });
}

const GONE =
  'This plan is too old to be confirmed: a plan is open for 15 minutes. Nothing was changed; go back and plan it anew.';
const CHANGED =
  'Another file was imported into this portfolio since the plan was made, and its rows were in no plan. Nothing was changed; go back and plan it anew.';

function idOf(request: FastifyRequest): string {
  return (request.params as { id: string }).id;
}

/** The action and portfolio that an address asks for. @throws ConsoleError for an unknown action */
function askedOf(request: FastifyRequest): { portfolio: string; action: PlanAction } {
  const query = request.query as Query;
  const portfolio = typeof query.portfolio === 'string' ? query.portfolio : '';
  const action = PLAN_ACTIONS.find((one) => one === query.action);
  if (!action) throw new ConsoleError(422, `There is no such action; use one of: ${PLAN_ACTIONS.join(', ')}.`);
  return { portfolio, action };
}

/** What the audit records of a plan. A searched text may be a person's name, so only its existence is recorded. */
function factsOf({ id, action, filter, rows, sum, isExact, calls }: Plan): About['facts'] {
  const { text, ...rest } = filter;
  const named = `${queryOfFilter(rest)}${text === undefined ? '' : ' and found by a text'}`;
  return { plan: id, action, filter: named, rows, sum, isExact, calls };
}

/** How far the plan is, for the audit. */
async function cameOf(id: string, { read }: PlansPageFunctions): Promise<Record<string, unknown>> {
  const state = await read(id);
  return state ? { standing: state.standing, done: state.done, leftAlone: state.came } : {};
}

async function find(id: string, { read }: PlansPageFunctions): Promise<PlanState> {
  const state = await read(id);
  if (!state) throw new ConsoleError(404, 'There is no such plan, or it has expired. Go back and make a new one.');
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
    { href: '/', words: 'Portfolios' },
    { href: `/portfolios/${encodeURIComponent(plan.portfolio)}`, words: plan.portfolio },
  ];
  return reply.page({
    title,
    at: 'portfolios',
    body: html`${pageHead({ title: html`<span id="plan-title">${title}</span>`, trail })}${twice && alreadyConfirmed()}<div id="plan" class="panel plan">${body}</div>`,
    ...(isOpen ? {} : { events: `/plans/${encodeURIComponent(plan.id)}/events` }),
  });
}

function alreadyConfirmed(): Html {
  return html`<p class="lead" role="alert">It was confirmed already, perhaps in another tab. It runs only once; this is its progress.</p>`;
}
