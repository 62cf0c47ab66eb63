import { InvalidArgumentError } from 'commander';
import { LimitlineError, messageOf } from '../../src/errors.ts';
import type { Cause } from '../../src/ledger/counts/cause.ts';
import { filterFromQuery, type Query, type RowFilter } from '../../src/ledger/search/row-filter.ts';

/** Which rows a command is for: those of one cause, or those that a filter names. */
export type RowChoice = { cause?: string | undefined; where?: RowFilter | undefined };

/** A filter as the console's address has it behind the question mark: `states=refused&min=1000`. */
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

/** The one choice of a command; nothing where neither is given. @throws LimitlineError `USAGE` for both */
export function chosenFilter({ cause, where }: RowChoice): RowFilter | undefined {
  if (cause !== undefined && where !== undefined) {
    throw new LimitlineError('USAGE', 'Choose rows by --cause ID or by --where FILTER, not by both.');
  }
  return cause === undefined ? where : { cause };
}

/** @throws LimitlineError `NOT_FOUND` where no row of the portfolio failed for this cause, or none is any more */
export function causeNamed(id: string, causes: readonly Cause[], portfolio: string): Cause {
  const cause = causes.find((one) => one.id === id);
  if (cause) return cause;
  const there = `To see the causes, run: npx limitline report "${portfolio}" --causes`;
  throw new LimitlineError('NOT_FOUND', `No refused or held row of portfolio "${portfolio}" has cause ${id}. ${there}`);
}
