import { queryOfFilter, type RowFilter } from '../../../ledger/search/row-filter.ts';

/** The page of a portfolio, with a filter and a place in its rows. */
export function portfolioAddress(name: string, filter: RowFilter = {}, after?: string): string {
  const query = new URLSearchParams(queryOfFilter(filter));
  if (after !== undefined) query.set('after', after);
  const text = query.toString();
  return `/portfolios/${encodeURIComponent(name)}${text === '' ? '' : `?${text}#rows`}`;
}

/** The page below that of a portfolio: a row, its downloads, its events. */
export function below(name: string, ...parts: readonly string[]): string {
  return ['/portfolios', name, ...parts]
    .map((part, place) => (place === 0 ? part : encodeURIComponent(part)))
    .join('/');
}

/** Where an action on many rows is planned before it is confirmed. */
export function planAddress(portfolio: string, action: 'retry' | 'cancel', filter: RowFilter): string {
  const query = new URLSearchParams({ portfolio, action });
  for (const [name, value] of new URLSearchParams(queryOfFilter(filter))) query.set(name, value);
  return `/plans/new?${query}`;
}
