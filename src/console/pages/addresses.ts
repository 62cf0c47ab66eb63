import type { CheckName, SectionName } from '../../ledger/nightly/checks.ts';
import type { Plan } from '../../ledger/plans/plan.ts';
import type { FaultKind } from '../../ledger/portfolios/faulty-lines.ts';
import { isPortfolioName, type RowId } from '../../ledger/schema/schema.ts';
import { queryOfFilter, type RowFilter } from '../../ledger/search/row-filter.ts';
import type { RowOrder } from '../../ledger/search/row-order.ts';
import { ConsoleError } from '../console-app.ts';
import { t } from '../html/html.ts';

/**
 * The part of a portfolio's rows and lines that a page lists, besides the filter. `order` and `after` are the order of rows and the cursor
 * after which they begin. `lines` are the kinds of lines that led to no row, and `behind` is the line after which those begin.
 */
export type Listing = { order?: RowOrder; after?: string | undefined; lines?: readonly FaultKind[]; behind?: number };

/** The address of a portfolio's page with the filter of its rows, and the part of them that is listed. */
export function portfolioAddress(name: string, filter: RowFilter = {}, listing: Listing = {}): string {
  const text = queryOfList(filter, listing);
  return `/portfolios/${encodeURIComponent(name)}${text === '' ? '' : `?${text}#rows`}`;
}

function queryOfList(filter: RowFilter, { order = 'line', after, lines = [], behind }: Listing): string {
  const query = new URLSearchParams(queryOfFilter(filter));
  if (order !== 'line') query.set('order', order);
  if (lines.length > 0) query.set('lines', lines.join(','));
  if (behind !== undefined) query.set('behind', String(behind));
  if (after !== undefined) query.set('after', after);
  return query.toString();
}

/** An address below a portfolio's page, such as that of a row, of a download or of the portfolio's events. */
export function below(name: string, ...parts: readonly string[]): string {
  return ['/portfolios', name, ...parts]
    .map((part, place) => (place === 0 ? part : encodeURIComponent(part)))
    .join('/');
}

/** The page on which an action on many rows is planned before a person confirms it. */
export function planAddress(portfolio: string, action: Plan['action'], filter: RowFilter): string {
  const query = new URLSearchParams({ portfolio, action });
  for (const [name, value] of new URLSearchParams(queryOfFilter(filter))) query.set(name, value);
  return `/plans/new?${query}`;
}

/** The page of a row; with a list, its next and previous rows are those of that list. */
export function rowAddress({ portfolio, key }: RowId, list?: { filter: RowFilter; order: RowOrder }): string {
  const query = list ? queryOfList(list.filter, { order: list.order }) : '';
  return `/portfolios/${encodeURIComponent(portfolio)}/rows/${encodeURIComponent(key)}${query === '' ? '' : `?${query}`}`;
}

/** The page of a buyer, with the requests from an index on. */
export function buyerAddress(key: string, from = 0): string {
  return `/buyers/${encodeURIComponent(key)}${from > 0 ? `?from=${from}` : ''}`;
}

/** The portfolio that the parameters of an address name. @throws ConsoleError 404 if no portfolio can have this name */
export function portfolioOfParams({ name = '' }: Readonly<Record<string, string>>): string {
  if (!isPortfolioName(name)) throw new ConsoleError(404, t`No portfolio can have this name.`);
  return name;
}

export function eventAddress(id: string): string {
  return `/service-events/${encodeURIComponent(id)}`;
}

export function approvalAddress(id: string): string {
  return `/approvals/${encodeURIComponent(id)}`;
}

/** The address of the page with the tasks that Limitline does by itself, and their times. */
export const AUTOMATION = '/nightly/automation';

/** The page of the nightly report; `beforeMs` lists the reports before that moment. */
export function nightlyAddress(beforeMs?: number): string {
  return beforeMs === undefined ? '/nightly' : `/nightly?before=${beforeMs}#all-reports-title`;
}

/** The page of a report; with `at`, the findings of one check in one section, from the cursor `after` on. */
export function reportAddress(id: string, at?: { section: SectionName; check: CheckName; after?: number }): string {
  const path = `/nightly/reports/${encodeURIComponent(id)}`;
  if (!at) return path;
  const query = new URLSearchParams({ section: at.section, check: at.check });
  if (at.after) query.set('after', String(at.after));
  return `${path}?${query}`;
}

export function reportFileAddress(id: string, file: 'items.csv' | 'report.html'): string {
  return `${reportAddress(id)}/${file}`;
}
