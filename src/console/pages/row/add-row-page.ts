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
  /** Where an archived portfolio is kept; undefined where its rows are in Redis, or no portfolio has the name. */
  archived: (portfolio: string) => Promise<ArchivedPortfolio | undefined>;
  /** Undefined where there is no such row. With `patient`, it searches the file for the line as long as a page may take. */
  story: (row: RowId, options: { patient: boolean; signal: AbortSignal }) => Promise<ToldRow | undefined>;
  /** Sends the row again, or says why not, or which approval it waits for. */
  retry: (
    row: RowId,
    by: string,
  ) => Promise<{ is: 'again'; isPaused: boolean } | { is: 'waits'; asked: AskedFor } | { is: 'stays'; why: string }>;
};

/** The longest wait for a page that searches for a line, with a margin for the rest of the page. */
const PATIENT_LIMIT_MS = 40_000;

/** The notice for what was just done, by the code in the address. */
const DID: ReadonlyMap<string, string> = new Map([
  ['retried', 'The row goes again: it waits for its turn in the queues.'],
  ...HELD_DID,
  ['asked', 'Nothing is done before another person has approved it: the row waits for that.'],
]);

/** `/portfolios/:name/rows/:key`, and the action that retries the row. */
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
      // The archived portfolio's page says where its rows are kept, and how to restore them.
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
