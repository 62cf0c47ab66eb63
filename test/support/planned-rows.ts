import { type CarryOutDeps, confirmPlan, type PlanConfirmed } from '../../jobs/plans/carry-out.ts';
import { makePlan, type PlanDeps, type PlanRequest } from '../../jobs/plans/make-plan.ts';
import type { RowState, Step } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import { buyerLines, openWorkplace } from './workplace.ts';

/** A portfolio of so many rows that wait, without workers: a test moves them itself. Buyer n stands in line n + 1. */
export async function openPlanned(count: number) {
  const place = await openWorkplace();
  await place.import(buyerLines(count));
  const { context } = place;
  const waiting = await context.rows.inState('q4', 'queued', { count });
  const all = waiting.map(({ row }) => row);
  const deps: CarryOutDeps & PlanDeps = context;
  return {
    ...place,
    deps,
    /** The rows, in the order of their lines. */
    all,
    states: async () => (await context.portfolios.read('q4')).states,
    stateOf: async (row: RowId): Promise<RowState | undefined> => (await context.rows.read([row]))[0]?.state,
    refuse: (row: RowId) => refuse(context, row),
    hold: (row: RowId) => hold(context, row),
    async plan(request: Partial<PlanRequest> = {}) {
      await afterThisMs(context);
      return makePlan({ portfolio: 'q4', action: 'retry', filter: {}, ...request }, deps);
    },
    /** Confirms, and waits for the end where it was this that began it. */
    async confirm(id: string): Promise<PlanConfirmed['is']> {
      const limits = { awaitMs: 0, signal: new AbortController().signal };
      const confirmed = await confirmPlan({ id, by: 'test' }, limits, deps);
      if (confirmed.is === 'started') await confirmed.ended;
      return confirmed.is;
    },
    outcome: async (id: string) => {
      const state = await context.plans.read(id);
      return state && { standing: state.standing, done: state.done, came: state.came, underWay: state.underWay };
    },
  };
}

/** The ledger notes changes in ms, and one of the same ms as a plan counts as later. */
export async function afterThisMs({ plans }: Pick<Context, 'plans'>): Promise<void> {
  const since = await plans.now();
  while ((await plans.now()) === since);
}

type Context = Awaited<ReturnType<typeof openWorkplace>>['context'];

/** The service says no to its company. */
async function refuse({ rows }: Context, row: RowId): Promise<void> {
  await rows.begin(row, 'company');
  const problem = { step: 'company' as Step, message: 'the service refused the company with status 400', status: 400 };
  await rows.advance(row, 'company', 'refused', { problem });
}

/** Nobody knows what became of the call for its company. */
async function hold({ rows, calls, ledger, keys }: Context, row: RowId): Promise<void> {
  const found = await rows.begin(row, 'company');
  const key = found?.request.buyer ?? '';
  await ledger.hset(keys.call('company', key), { state: 'unknown', row: `${row.portfolio}/${row.key}` });
  await rows.advance(row, 'company', 'held', { problem: { step: 'company', message: 'nobody knows' } });
  if (!(await calls.isUnknown({ kind: 'company', key }))) throw new Error('the call is not unknown');
}
