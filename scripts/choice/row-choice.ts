import { InvalidArgumentError } from 'commander';
import { LimitlineError, messageOf } from '../../src/errors.ts';
import type { Cause } from '../../src/ledger/counts/cause.ts';
import { filterFromQuery, type Query, type RowFilter } from '../../src/ledger/search/row-filter.ts';

/** Which rows a command is for: by cause or by filter. */
export type RowChoice = { cause?: string | undefined; where?: RowFilter | undefined };

/** Parses a filter in the form of the console's query string: `states=refused&min=1000`. */
export function filterText(text: string): RowFilter {
  try {
    return filterFromQuery(queryOf(text.replace(/^\?/, '')));
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
  }
}

function queryOf(text: string): Query {
  const query: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    if (!KNOWN.has(name))
      throw new LimitlineError('USAGE', `Rows are chosen by ${[...KNOWN].join(', ')}; not by "${name}".`);
    query[name] = [...(query[name] ?? []), value];
  }
  return query;
}

const KNOWN = new Set(['states', 'step', 'problem', 'cause', 'status', 'min', 'max', 'text']);

/** The chosen filter; undefined without a choice. @throws LimitlineError `USAGE` for both options */
export function chosenFilter({ cause, where }: RowChoice): RowFilter | undefined {
  if (cause !== undefined && where !== undefined) {
    throw new LimitlineError('USAGE', 'Choose rows by --cause ID or by --where FILTER, not by both.');
  }
  return cause === undefined ? where : { cause };
}

/** @throws LimitlineError `NOT_FOUND` where no row of the portfolio is refused or held for this cause */
export function causeNamed(id: string, causes: readonly Cause[], portfolio: string): Cause {
  const cause = causes.find((one) => one.id === id);
  if (cause) return cause;
  const there = `To see the causes, run: npx limitline report "${portfolio}" --causes`;
  throw new LimitlineError('NOT_FOUND', `No refused or held row of portfolio "${portfolio}" has cause ${id}. ${there}`);
}
