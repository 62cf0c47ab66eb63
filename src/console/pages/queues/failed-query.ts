import type { Query } from '../../../ledger/search/row-filter.ts';

/** What the address of the page asks for. */
export type FailedQuery = {
  portfolio?: string | undefined;
  state?: 'refused' | 'held' | undefined;
  cause?: string | undefined;
  text?: string | undefined;
  after?: string | undefined;
};

/** Reads what the address asks for; what is empty, or not known, is left out. */
export function readFailedQuery(query: Query): FailedQuery {
  const text = (name: string): string | undefined => {
    const value = query[name];
    const one = typeof value === 'string' ? value.trim() : '';
    return one === '' ? undefined : one;
  };
  const state = text('state');
  return {
    portfolio: text('portfolio'),
    state: state === 'refused' || state === 'held' ? state : undefined,
    cause: text('cause'),
    text: text('text'),
    after: text('after'),
  };
}
