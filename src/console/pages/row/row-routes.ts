import { z } from 'zod';
import { isLimitlineError } from '../../../errors.ts';
import type { AskedFor } from '../../../ledger/approvals/approval-look.ts';
import type { SessionsAskable } from '../../../ledger/calls/sessions.ts';
import type { ArchivedPortfolio } from '../../../ledger/schema/archives.ts';
import { type RowId, rowIdOf } from '../../../ledger/schema/schema.ts';
import { filterFromQuery, type Query, type RowFilter } from '../../../ledger/search/row-filter.ts';
import { type RowOrder, rowOrderOf } from '../../../ledger/search/row-order.ts';
import type { RowStory, ToldRow } from '../../../ledger/story/row-story.ts';
import type { Meanings } from '../../../status-meaning.ts';
import { LOOKS, OWN_OR_OPERATOR } from '../../access/access.ts';
import { ConsoleError } from '../../console-app.ts';
import { t } from '../../html/html.ts';
import { wantsFragment } from '../../layout/layout.ts';
import { cutWords } from '../../parts/text.ts';
import { askable } from '../../privacy/masked-view.ts';
import { portfolioAddress, rowAddress } from '../addresses.ts';
import { didWord, didWords, HELD_DID } from '../held/held-page.ts';
import { page, text } from '../page.ts';
import { anyOf, type WhoMay } from '../who-may.ts';
import { type Beside, linePart, rowPage } from './row-page.ts';

export type RowPageFunctions = {
  /** Where an archived portfolio is kept; undefined where its rows are in Redis, or no portfolio has the name. */
  archived: (portfolio: string) => Promise<ArchivedPortfolio | undefined>;
  /**
   * A row with its story and its line of the file; undefined for no such row. Usually a line far down in a long file is not
   * searched for; with `patient` it is, as long as a page may take.
   */
  story: (row: RowId, options: { patient: boolean; signal: AbortSignal }) => Promise<ToldRow | undefined>;
  meanings: () => Promise<Meanings>;
  whoMay: (portfolio: string) => Promise<WhoMay>;
  /** The keys of the rows before and after this row in a list of the portfolio's rows. */
  beside: (row: RowId, list: { filter: RowFilter; order: RowOrder }) => Promise<Beside>;
  /** Whether a hosted session can be asked for in this portfolio, or what is missing for it. */
  asksSessions: (portfolio: Pick<RowStory, 'supplier'>) => SessionsAskable;
  /**
   * Asks for a hosted session of the row's limit. Where a session was made or is in doubt, or the limit was declined, `anew` must be true,
   * or the number of the last session that the person saw. Answers why nothing was asked for, as a text; undefined if it was.
   */
  askSession: (row: RowId, given: { by: string; anew: boolean | number }) => Promise<string | undefined>;
  /** Sends the row again if it is still in the state `from`, and since `seenMs` if that is given. Otherwise answers why not, or for which approval the row waits. */
  retry: (
    row: RowId,
    by: string,
    from: 'refused' | 'cancelled',
    seenMs: number | undefined,
  ) => Promise<{ is: 'again'; isPaused: boolean } | { is: 'waits'; asked: AskedFor } | { is: 'stays'; why: string }>;
};

/** The longest wait for a page that searches for a line, with a margin for the rest of the page. */
const PATIENT_LIMIT_MS = 40_000;

/** The notices about what the person has just done, by the code in the address (`?did=`). */
const DID: ReadonlyMap<string, string> = new Map([
  ['session', t`A hosted session will be requested, after all waiting limits. Its link will appear here.`],
  ['retried', t`The row goes again: it waits for its turn in the queues.`],
  ...HELD_DID,
  ['asked', t`Nothing is done before another person has approved it: the row waits for that.`],
]);

/** `/portfolios/:name/rows/:key`, and the actions that retry the row and ask for a hosted session. */
export const oneRowPage = page<RowPageFunctions>({ at: 'portfolios' }, ({ get, post }) => [
  get('/portfolios/:name/rows/:key', {
    may: LOOKS,
    query: z.object({ did: z.string().optional().catch(undefined), line: text }),
    limitMs: PATIENT_LIMIT_MS,
    show: async ({ request, reply, params, query: { did, line }, rights, given }) => {
      const row = rowOf(params);
      const found = await given.story(row, { patient: line === 'yes', signal: request.signal });
      if (!found) {
        // The archived portfolio's page says where its rows are kept, and how to restore them.
        if (await given.archived(row.portfolio)) return reply.redirect(portfolioAddress(row.portfolio), 303);
        throw noRow();
      }
      if (wantsFragment(request)) return reply.fragment(linePart(found, rights));
      const { result } = found.story;
      const who = await given.whoMay(row.portfolio);
      const list = listOf(request.query as Query);
      const body = rowPage({
        ...found,
        did: didWords(did, (word) => DID.get(word), anyOf(who.resume)),
        who,
        csrf: reply.csrf(),
        rights,
        meanings: await given.meanings(),
        asks: given.asksSessions(found.story),
        list,
        beside: await given.beside(row, list),
      });
      return { title: `${cutWords(result.request.name)} (${row.portfolio})`, body };
    },
  }),
  post('/portfolios/:name/rows/:key/session', {
    may: OWN_OR_OPERATOR,
    action: 'session',
    says: ['resend'],
    handle: async ({ params, fields, actor, reply, given }) => {
      const row = rowOf(params);
      const why = await given.askSession(row, {
        by: actor.name,
        anew: /^\d{1,9}$/.test(fields.resend ?? '') && Number(fields.resend),
      });
      if (why !== undefined) throw new ConsoleError(409, why);
      return reply.redirect(`${rowAddress(row)}${didWord('session', false)}`, 303);
    },
  }),
  post('/portfolios/:name/rows/:key/retry', {
    may: OWN_OR_OPERATOR,
    action: 'retry',
    form: z.object({
      state: z.enum(['refused', 'cancelled']).catch('refused'),
      seen: z.coerce.number().optional().catch(undefined),
    }),
    handle: async ({ params, actor, fields, reply, given }) => {
      const row = rowOf(params);
      const answer = await given.retry(row, actor.name, fields.state, fields.seen);
      if (answer.is === 'stays') throw new ConsoleError(409, answer.why);
      const did = answer.is === 'waits' ? didWord('asked', false) : didWord('retried', answer.isPaused);
      return reply.redirect(`${rowAddress(row)}${did}`, 303);
    },
  }),
]);

/** The list from which the row was opened: that of all rows where the address names none, or none that can be read. */
function listOf(query: Query): { filter: RowFilter; order: RowOrder } {
  const order = rowOrderOf(query.order);
  try {
    return { filter: filterFromQuery(askable(query)), order };
  } catch (error) {
    if (isLimitlineError(error, 'USAGE')) return { filter: {}, order };
    throw error;
  }
}

function rowOf({ name, key }: Readonly<Record<string, string>>): RowId {
  const row = rowIdOf(`${name}/${key}`);
  if (!row) throw noRow();
  return row;
}

function noRow(): ConsoleError {
  return new ConsoleError(404, t`The ledger knows no such row. It may be of another account: see the line above.`);
}
