import { LimitlineError } from '../../src/errors.ts';
import type { HostedSessions, SessionAnswer, SessionsAskable } from '../../src/ledger/calls/sessions.ts';
import type { MeaningStore } from '../../src/ledger/counts/meaning-store.ts';
import { isDeclinedLimit } from '../../src/ledger/counts/row-outcome.ts';
import type { PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { GRANTED_STATES } from '../../src/ledger/schema/row.ts';
import { placesIn, readSessionFile, type SessionCall, sessionOf } from '../../src/service/session-file.ts';
import { type FoundRow, foundPages, rowsAtLine } from '../rows/walk-rows.ts';
import { sessionBody } from '../steps/make-sessions.ts';
import { rowByName } from './explain-rows.ts';

type AskSessionDeps = {
  settings: { SERVICE_SESSION_FILE?: string | undefined };
  rows: Rows;
  portfolios: Portfolios;
  calls: { sessions: HostedSessions };
  statusMeanings: Pick<MeaningStore, 'read'>;
};

/** The chosen rows of a portfolio: the row with this name or key, the rows of this line, or all rows whose limit was made. */
export type SessionChoice = { portfolio: string; row?: string | undefined; line?: number | undefined };

/**
 * Counts of limits by the answer that a request for a session got. `lacks`: rows for which the ledger has no value for some of the body's
 * `places`. `declined`: limits that the service declined, which get a session only on purpose.
 */
type SessionsAsked = Record<SessionAnswer, number> & { lacks: number; declined: number; places: string[] };

/**
 * Records that a person wants hosted sessions for the limits of these rows, one for each limit. Workers send sessions only when no limit is
 * due.
 *
 * @param by who asks
 * @param anew whether a new session is wanted on purpose, although one was made, is in doubt, or the limit was declined. A number allows it
 *   only if the last session, as the person saw it, has that number
 * @throws LimitlineError `USAGE` if no file describes the call, the portfolio was archived, or no such row has a limit
 */
export async function askSessions(
  choice: SessionChoice,
  { by, anew = false }: { by: string; anew?: boolean | number },
  deps: AskSessionDeps,
): Promise<SessionsAsked> {
  const session = mustDescribeSessions(deps.settings);
  await deps.portfolios.mustBeHere(choice.portfolio);
  const portfolio = await deps.portfolios.read(choice.portfolio);
  const meanings = await deps.statusMeanings.read();
  const asked: SessionsAsked = { asked: 0, waits: 0, made: 0, held: 0, none: 0, lacks: 0, declined: 0, places: [] };
  const seen = new Set<string>();
  for await (const { row, result } of chosen(choice, deps)) {
    const filled = sessionBody(session, await deps.calls.sessions.withCompany(result), portfolio);
    if ('lacks' in filled) {
      asked.lacks += 1;
      asked.places = [...new Set([...asked.places, ...filled.lacks])];
      continue;
    }
    // Rows that share a limit share its sessions.
    if (seen.has(result.limitId)) continue;
    seen.add(result.limitId);
    const despite = isDeclinedLimit(result, meanings);
    if (anew === false && despite) asked.declined += 1;
    else asked[await deps.calls.sessions.ask(row, result.limitId, { by, anew, despite })] += 1;
  }
  return asked;
}

/**
 * Whether a row's page offers to ask for a session. That needs a file that describes the call and, if its body has a place for the
 * supplier, a portfolio with one.
 */
export function sessionsAskable(
  { SERVICE_SESSION_FILE: path }: AskSessionDeps['settings'],
  { supplier }: Pick<PortfolioState, 'supplier'>,
): SessionsAskable {
  if (path === undefined) return 'not described';
  const { session } = { session: undefined, ...readSessionFile(path) };
  return supplier === undefined && placesIn(session?.body).includes('supplier') ? 'no supplier' : 'yes';
}

/** The call for a session. @throws LimitlineError `USAGE` if no file describes it */
export function mustDescribeSessions({ SERVICE_SESSION_FILE: path }: AskSessionDeps['settings']): SessionCall {
  const session = sessionOf(path);
  if (!session) throw new LimitlineError('USAGE', NOT_DESCRIBED);
  return session;
}

const NOT_DESCRIBED =
  'The service does not show how a hosted session is made, and no file says it: set SERVICE_SESSION_FILE (docs/service.md, "Hosted session").';

async function* chosen({ portfolio, row, line }: SessionChoice, deps: AskSessionDeps): AsyncGenerator<FoundRow> {
  const named = row === undefined ? undefined : await rowByName(portfolio, row, deps);
  if (typeof named === 'string') throw new LimitlineError('NOT_FOUND', named);
  if (named) return yield mustHaveLimit(named);
  if (line === undefined) {
    for (const state of GRANTED_STATES) for await (const page of foundPages(deps.rows, portfolio, state)) yield* page;
    return;
  }
  const found = (
    await Promise.all(GRANTED_STATES.map((state) => rowsAtLine(deps.rows, portfolio, state, line)))
  ).flat();
  if (found.length === 0)
    throw new LimitlineError('NOT_FOUND', `No row of line ${line} of portfolio "${portfolio}" has a limit.`);
  // Lines of several files may have the number. Only different limits make it unclear which is meant.
  if (new Set(found.map(({ result }) => result.limitId)).size > 1) {
    const names = found.map((one) => one.row.key).join(', ');
    const message = `Several limits have line number ${line}: name one of these rows with --row ID: ${names}.`;
    throw new LimitlineError('USAGE', message);
  }
  yield* found;
}

function mustHaveLimit(found: FoundRow): FoundRow {
  if (GRANTED_STATES.some((state) => state === found.result.state)) return found;
  const { portfolio, key } = found.row;
  const message = `Row ${portfolio}/${key} is ${found.result.state}: a hosted session comes after its limit.`;
  throw new LimitlineError('USAGE', message);
}

/**
 * What became of a request for sessions, in words for people.
 *
 * @param anew how one asks for a new session on the command line; '' for a page
 */
export function askedSessionsWords(
  { asked, waits, made, held, none, lacks, declined, places }: SessionsAsked,
  anew = '--line N --resend asks for a new one',
): string {
  const parts = [
    `${asked} hosted session${asked === 1 ? ' is' : 's are'} asked for`,
    ...(waits > 0 ? [`${waits} wait${waits === 1 ? 's' : ''} already`] : []),
    ...(made > 0 ? [`${made} ${made === 1 ? 'has' : 'have'} a link already${anew && `: ${anew}`}`] : []),
    ...(held > 0 ? [`nobody knows what became of ${held}: ask the service${anew && `, or ${anew}`}`] : []),
    ...(declined > 0
      ? [
          `${declined} limit${declined === 1 ? ' was' : 's were'} declined, so no session is asked for${anew && `: ${anew}`}`,
        ]
      : []),
    ...(none > 0 ? [`${none} changed meanwhile`] : []),
    ...(lacks > 0
      ? [
          `${lacks} lack${lacks === 1 ? 's' : ''} a value for ${places.join(' and ')}${anew && places.includes('supplier') ? ': import the file again with --supplier FILE' : ''}`,
        ]
      : []),
  ];
  return `${parts.join('; ')}.`;
}
