import type { PlanAction } from '../../src/ledger/plans/plan.ts';
import { ROW_STATES, type RowState, UNFINISHED_STATES } from '../../src/ledger/row.ts';
import type { RowFilter } from '../../src/ledger/search/row-filter.ts';

/** The states whose rows an action can be for. */
const POSSIBLE: Readonly<Record<PlanAction, readonly RowState[]>> = {
  retry: ['refused', 'cancelled'],
  cancel: [...UNFINISHED_STATES, 'refused'],
  resend: ['held'],
};

/** What is meant where no state is named. Rows that somebody gave up are sent again only where that is said. */
const MEANT: Readonly<Record<PlanAction, readonly RowState[]>> = {
  retry: ['refused'],
  cancel: UNFINISHED_STATES,
  resend: ['held'],
};

/**
 * A filter with the states that an action is for: of those that it names, or of those that are meant where it names none.
 * Rows have a cause while they are refused or held alone, so to give up all that failed like this is to give up refused ones.
 */
export function plannedFilter(action: PlanAction, filter: RowFilter): RowFilter & { states: readonly RowState[] } {
  const named = filter.states;
  const meant = action === 'cancel' && filter.cause !== undefined ? (['refused'] as const) : MEANT[action];
  const states = named === undefined ? meant : POSSIBLE[action].filter((state) => named.includes(state));
  return { ...filter, states: ROW_STATES.filter((state) => states.includes(state)) };
}

/** Whether everything that is open is to be given up: that is one mark on the portfolio, and not a row at a time. */
export function isWhole(action: PlanAction, { states = [], ...rest }: RowFilter): boolean {
  if (action !== 'cancel' || states.length !== UNFINISHED_STATES.length) return false;
  return (
    UNFINISHED_STATES.every((state) => states.includes(state)) && Object.values(rest).every((one) => one === undefined)
  );
}

/** Whether a filter says nothing beside the states. */
export function isByStateAlone({ states: _states, ...rest }: RowFilter): boolean {
  return Object.values(rest).every((one) => one === undefined);
}
