import type { AskedFor } from '../../../ledger/approvals/approval-look.ts';
import type { ArchivedPortfolio } from '../../../ledger/schema/archives.ts';
import type { RowId } from '../../../ledger/schema/schema.ts';
import type { ToldRow } from '../../../ledger/story/row-story.ts';
import { addAction } from '../../actions/add-action.ts';
import { type ConsoleApp, ConsoleError } from '../../console-app.ts';
import { wantsFragment } from '../../layout/layout.ts';
import { cutWords } from '../../parts/text.ts';
import { portfolioAddress, rowAddress, rowOfParams } from '../addresses.ts';
import { didWord, didWords, HELD_DID } from '../held/held-page.ts';
import { linePart, rowPage } from './row-page.ts';

export type RowPageFunctions = {
  /** Where a portfolio is whose rows are not in Redis; nothing where it is one like others, or none. */
  archived: (portfolio: string) => Promise<ArchivedPortfolio | undefined>;
  /** Nothing where there is no such row. `patient`: looks for the line for as long as a page may take. */
  story: (row: RowId, options: { patient: boolean; signal: AbortSignal }) => Promise<ToldRow | undefined>;
  /** Sends it again, or says why it stays, or for what it waits. */
  retry: (
    row: RowId,
    by: string,
  ) => Promise<{ is: 'again'; isPaused: boolean } | { is: 'waits'; asked: AskedFor } | { is: 'stays'; why: string }>;
};

/** The page waits no longer for a line than this, with a margin for the rest of it. */
const PATIENT_LIMIT_MS = 40_000;

/** What was done, for the page behind it, by the word in its address. */
const DID: ReadonlyMap<string, string> = new Map([
  ['retried', 'The row goes again: it waits for its turn in the queues.'],
  ...HELD_DID,
  ['asked', 'Nothing is done before another person has approved it: the row waits for that.'],
]);

/** `/portfolios/:name/rows/:key`, and what can be done there with the row. */
export function addRowPage(app: ConsoleApp, given: RowPageFunctions): void {
  const rowOf = (params: unknown): RowId => {
    const row = rowOfParams(params as Record<string, string>);
    if (!row) throw noRow();
    return row;
  };

  app.get('/portfolios/:name/rows/:key', { handlerTimeout: PATIENT_LIMIT_MS }, async (request, reply) => {
    const { did, line } = request.query as { did?: string; line?: string };
    const row = rowOf(request.params);
    const found = await given.story(row, { patient: line === 'yes', signal: request.signal });
    if (!found) {
      // Its portfolio's page says where its rows are, and how they come back.
      if (await given.archived(row.portfolio)) return reply.redirect(portfolioAddress(row.portfolio), 303);
      throw noRow();
    }
    if (wantsFragment(request)) return reply.fragment(linePart(found, request.rights));
    const { result } = found.story;
    const body = rowPage({
      ...found,
      did: didWords(did, (word) => DID.get(word)),
      csrf: reply.csrf(),
      rights: request.rights,
    });
    return reply.page({ title: `${cutWords(result.request.name)} (${row.portfolio})`, at: 'portfolios', body });
  });

  addAction(app, {
    url: '/portfolios/:name/rows/:key/retry',
    action: 'retry',
    handle: async ({ params, actor, reply }) => {
      const row = rowOf(params);
      const answer = await given.retry(row, actor.name);
      if (answer.is === 'stays') throw new ConsoleError(409, answer.why);
      const did = answer.is === 'waits' ? didWord('asked', false) : didWord('retried', answer.isPaused);
      return reply.redirect(`${rowAddress(row)}${did}`, 303);
    },
  });
}

function noRow(): ConsoleError {
  return new ConsoleError(404, 'The ledger knows no such row. It may be of another account: see the line above.');
}
