import type { PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import type { RowResult } from '../../src/ledger/schema/row.ts';
import { shownIn } from '../../src/portfolio/columns/extra-fields.ts';
import { filledBody, placesIn, type SessionCall, type SessionPlace } from '../../src/service/session-file.ts';

/** The body of a row's hosted session; or, if the ids or the address for it are not known, the places that `lacks` a value. Pure. */
export function sessionBody(
  { body, returnUrl }: Pick<SessionCall, 'body' | 'returnUrl'>,
  { request, companyId, limitId }: Pick<RowResult, 'request' | 'companyId' | 'limitId'>,
  { supplier, supplierAwaits }: Pick<PortfolioState, 'supplier' | 'supplierAwaits'>,
): { body: Record<string, unknown> } | { lacks: string[] } {
  const shown = [...shownIn('company', request.company), ...shownIn('buyer_limit', request.limit)];
  const texts = shown.filter(([, value]) => typeof value === 'string');
  const values: Partial<Record<SessionPlace, string | undefined>> = {
    ...Object.fromEntries(texts),
    name: request.name,
    supplier: supplierAwaits ? undefined : supplier?.id,
    buyer: companyId || request.companyId,
    limit: limitId,
    return_url: returnUrl,
  };
  const needed = ['supplier', 'buyer', 'limit'] as const;
  const places = placesIn(body);
  const lacks = needed.filter((place) => places.includes(place) && !values[place]);
  return lacks.length > 0 ? { lacks } : { body: filledBody(body, values) };
}
