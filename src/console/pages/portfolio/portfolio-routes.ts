import { isLimitlineError } from '../../../errors.ts';
import type { FaultKind, FaultyPage } from '../../../ledger/portfolios/faulty-lines.ts';
import { type ArchivedPortfolio, archivedFault } from '../../../ledger/schema/archives.ts';
import { FAULT_KINDS } from '../../../ledger/schema/keys.ts';
import type { PauseKind } from '../../../ledger/schema/pause-reasons.ts';
import { isPortfolioName } from '../../../ledger/schema/schema.ts';
import { filterFromQuery, type Query, type RowFilter } from '../../../ledger/search/row-filter.ts';
import { type RowOrder, rowOrderOf } from '../../../ledger/search/row-order.ts';
import { LOOKS, OPERATOR, RESUMES } from '../../access/access.ts';
import { ConsoleError } from '../../console-app.ts';
import type { Frame } from '../../events/hub.ts';
import { html, t } from '../../html/html.ts';
import { notice } from '../../parts/blocks.ts';
import { askable } from '../../privacy/masked-view.ts';
import { below, portfolioAddress } from '../addresses.ts';
import { archivedPortfolioPage } from '../archived/archived-routes.ts';
import { page } from '../page.ts';
import { withPlainAmounts } from './filter-form.ts';
import type { PortfolioLook } from './portfolio-look.ts';
import { portfolioFrame, renderPortfolio } from './render-portfolio.ts';
import { ROWS_SHOWN, type RowsPage } from './rows-view.ts';

export type PortfolioPageFunctions = {
  /** Where an archived portfolio is kept; undefined where all of its rows are in Redis, or no portfolio has the name. */
  archived: (name: string) => Promise<ArchivedPortfolio | undefined>;
  /** The portfolio without its rows; undefined where there is none, or its rows are not in Redis. */
  look: (name: string) => Promise<PortfolioLook | undefined>;
  /**
   * A page of the portfolio's rows.
   *
   * @throws LimitlineError `USAGE` for a filter that cannot be answered, with a message for people
   */
  rows: (
    name: string,
    filter: RowFilter,
    page: { after?: string | undefined; count: number; order: RowOrder },
  ) => Promise<RowsPage>;
  /** Lines of the last file that led to no row. */
  faultyLines: (
    name: string,
    page: { kinds: readonly FaultKind[]; text: string | undefined; after: number | undefined; count: number },
  ) => Promise<FaultyPage>;
  pause: (name: string, by: string) => Promise<void>;
  pauseKind: (name: string) => Promise<PauseKind>;
  /** Resumes the portfolio if `paused` is still the reason of its pause (undefined: it has none). Answers whether it was the reason. */
  resume: (name: string, paused: string | undefined) => Promise<boolean>;
};

/** `/portfolios/:name`: one portfolio with its rows and live updates; also its actions pause and resume. */
export const onePortfolioPage = page<PortfolioPageFunctions>({ at: 'portfolios' }, ({ get, events, post }) => [
  get('/portfolios/:name', {
    may: LOOKS,
    show: async ({ reply, params, query, rights, given }) => {
      const name = nameOf(params);
      const archived = await given.archived(name);
      if (archived) return { title: name, body: archivedPortfolioPage(archived, rights) };
      const { filter, problem } = readFilter(query);
      const listing = listingOf(query);
      const { lines } = listing;
      const { text, ...rest } = filter;
      // Lines that led to no row are found by their kind and a text alone; another filter asks for rows, too.
      const isOfRows = lines.length === 0 || Object.keys(rest).length > 0;
      const kinds = lines.length > 0 ? lines : text === undefined ? [] : FAULT_KINDS;
      const [look, rows, faulty] = await Promise.all([
        lookAt(name, given),
        problem === undefined && isOfRows ? readRows(name, filter, listing, given) : { page: { found: [] }, problem },
        kinds.length > 0
          ? given.faultyLines(name, { kinds, text, after: listing.behind, count: ROWS_SHOWN })
          : undefined,
      ]);
      // Lines that led to no row are searched for the text, too. They stand below the rows, or alone if no row was found.
      // `unlisted` counts lines that are too many to be searched.
      const isFound = faulty !== undefined && faulty.found.length + faulty.unlisted > 0;
      const found: RowsPage = rows.page;
      const isNoRow = found.found.length === 0 && found.next === undefined;
      const shown = {
        filter,
        listing,
        query,
        page: isOfRows && !(isFound && isNoRow) ? rows.page : undefined,
        faulty: lines.length > 0 || isFound ? faulty : undefined,
        problem: rows.problem,
        csrf: reply.csrf(),
        rights,
      };
      return { title: name, events: below(name, 'events'), body: renderPortfolio(look, shown) };
    },
  }),
  events('/portfolios/:name/events', {
    may: LOOKS,
    key: nameOf,
    frames: (given) => async (name, rights) => {
      const look = await given.look(name);
      if (look) return portfolioFrame(look, { rights });
      const archived = await given.archived(name);
      return archived ? leftFrame(archived) : [];
    },
  }),
  post('/portfolios/:name/pause', {
    may: OPERATOR,
    action: 'pause',
    handle: async ({ actor, params, reply, given }) => {
      const name = nameOf(params);
      await lookAt(name, given);
      await given.pause(name, actor.name);
      return reply.redirect(portfolioAddress(name), 303);
    },
  }),
  post('/portfolios/:name/resume', {
    may: RESUMES,
    action: 'resume',
    about: async ({ params, given }) => {
      const kind = await given.pauseKind(nameOf(params));
      return { kind, facts: { pause: kind } };
    },
    handle: async ({ request, params, fields, reply, given }) => {
      const name = nameOf(params);
      const { state } = await lookAt(name, given);
      // The person ends only the pause that their page showed and that their role was checked for; another may have come since.
      const isJudged = state.pauseKind === request.about?.kind;
      const isSeen = fields.pause === undefined || asLines(fields.pause) === asLines(state.paused);
      const isSame = isJudged && isSeen && (await given.resume(name, state.paused));
      if (!isSame)
        throw new ConsoleError(409, t`The portfolio was paused for another reason meanwhile. Look at it again.`);
      return reply.redirect(portfolioAddress(name), 303);
    },
  }),
]);

/** A text with one kind of line breaks: forms send each as CR LF. */
const asLines = (text = ''): string => text.replace(/\r\n?/g, '\n');

/** The piece of an open page whose portfolio was archived or forgotten meanwhile: its other pieces are not read any more. */
function leftFrame(archived: ArchivedPortfolio): Frame {
  const body = html`What stands below is as it was before. <a href="${portfolioAddress(archived.name)}">Show it as it is now</a>`;
  return [{ id: 'portfolio-waits', html: notice('info', body, { title: archivedFault(archived).message }) }];
}

function nameOf({ name = '' }: Readonly<Record<string, string>>): string {
  if (!isPortfolioName(name)) throw notThere();
  return name;
}

async function lookAt(name: string, given: PortfolioPageFunctions): Promise<PortfolioLook> {
  const look = await given.look(name);
  if (look) return look;
  const archived = await given.archived(name);
  throw archived ? new ConsoleError(409, archivedFault(archived).message) : notThere();
}

function notThere(): ConsoleError {
  const message = t`There is no portfolio of this name in this account. Look for it in the list of portfolios.`;
  return new ConsoleError(404, message);
}

function readFilter(query: Query): { filter: RowFilter; problem: string | undefined } {
  try {
    return { filter: filterFromQuery(withPlainAmounts(askable(query))), problem: undefined };
  } catch (error) {
    if (isLimitlineError(error, 'USAGE')) return { filter: {}, problem: error.message };
    throw error;
  }
}

function listingOf({ order, after, lines, behind }: Query) {
  const named = [lines ?? ''].flat().flatMap((text) => text.split(','));
  return {
    order: rowOrderOf(order),
    after: typeof after === 'string' && after !== '' ? after : undefined,
    lines: FAULT_KINDS.filter((kind) => named.includes(kind)),
    ...(typeof behind === 'string' && /^\d{1,9}$/.test(behind) && { behind: Number(behind) }),
  };
}

async function readRows(
  name: string,
  filter: RowFilter,
  { after, order }: { after: string | undefined; order: RowOrder },
  given: PortfolioPageFunctions,
): Promise<{ page: RowsPage; problem: string | undefined }> {
  try {
    return { page: await given.rows(name, filter, { after, order, count: ROWS_SHOWN }), problem: undefined };
  } catch (error) {
    if (isLimitlineError(error, 'USAGE')) return { page: { found: [] }, problem: error.message };
    throw error;
  }
}
