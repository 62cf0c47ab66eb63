import { type CallKind, eachKind } from '../../src/call-kind.ts';
import type { DocumentFolder } from '../../src/documents/folder.ts';
import { LimitlineError } from '../../src/errors.ts';
import type { Recovered, Recovery } from '../../src/ledger/calls/recovery.ts';
import type { HostedSessions } from '../../src/ledger/calls/sessions.ts';
import type { Buyers } from '../../src/ledger/rows/buyers.ts';
import { ROW_STATES } from '../../src/ledger/schema/row.ts';
import { rowIdOf } from '../../src/ledger/schema/schema.ts';
import type { RetryUntilAnswered } from '../../src/ledger/schema/until-answered.ts';
import { otherAccountWords } from '../../src/portfolio/columns/result-columns.ts';
import { type BuyerBook, CLOSED_BOOK, makeBuyerBook } from '../../src/portfolio/identity/buyer-book.ts';
import { digestOf, type KeySet, makeKeySet } from '../../src/portfolio/identity/digest.ts';
import { makeFileBuyers } from '../../src/portfolio/identity/in-file/buyers.ts';
import type { Line } from '../../src/portfolio/lines/row.ts';
import { type Opened, openPortfolio, type PortfolioFile } from '../../src/portfolio/open-portfolio.ts';
import type { ReadOptions } from '../../src/portfolio/read-options.ts';
import { makeOutcomeReader, outcomeColumns, type ResultOutcome } from '../../src/portfolio/results/outcomes.ts';
import { isSessionUrl } from '../../src/service/session-file.ts';
import { makeBuyerStore } from '../import/buyer-store.ts';
import { REPLACED_BY_LINE } from '../import/put-line.ts';
import { lostCallsOf } from './lost-calls.ts';

type RecoverDeps = {
  account: string;
  recovery: Recovery;
  calls: { sessions: Pick<HostedSessions, 'putBack'> };
  buyers: Buyers;
  retryUntilAnswered: RetryUntilAnswered;
  /** The folder with documents, to identify those that were uploaded. */
  documents: DocumentFolder;
  signal: AbortSignal;
};

type RecoverPayload = {
  path: string;
  reading?: ReadOptions;
  /** Whether to restore, or only to report. */
  write: boolean;
  /** What was counted of rows in the files before, since a row may stand in several: in one that was named, and in a kept one. */
  counted?: KeySet;
};

/** Something that is not restored, and why. With `upload` it is the upload of a document: no limit is requested again for lack of it. */
type LeftOut = { line: number; what: string; upload?: true };

/**
 * The result of recovering from a results file: what is restored or, without `write`, would be restored. `waiting`, `replaced`, `declined`
 * and `givenUp` leave out what was counted with an earlier file.
 */
export type Recovering = {
  path: string;
  rows: number;
  /** Counts of what was restored: made things by kind, and calls in doubt as `held`. `known` counts what the ledger had already. */
  put: Record<RecoveredKind, number>;
  known: Record<RecoveredKind, number>;
  /** The number of rows for which nothing had been sent when the file was written. */
  waiting: number;
  /** The number of rows that a corrected line had replaced. The replacement is lost, so importing their old lines would request them, too. */
  replaced: number;
  /** The number of rows that a person declined. The ledger lost this answer, so importing their lines may request them without approval. */
  declined: number;
  /** The number of other rows that were given up. Importing their lines requests them. */
  givenUp: number;
  leftOut: LeftOut[];
};

export type RecoveredKind = CallKind | 'session' | 'held';

/**
 * Restores calls from a results file into a lost or rolled-back ledger: which companies, documents and limits were made under
 * which ids, links of hosted sessions, and which calls are in doubt. Restores no rows: importing the original files again finds the calls. Never
 * overwrites what the ledger knows. May be run twice.
 *
 * @throws LimitlineError `FILE` where the file is unreadable or no results file, `USAGE` where it is another account's
 */
export async function recoverResults(
  { path, reading, write, counted: told = makeKeySet() }: RecoverPayload,
  deps: RecoverDeps,
): Promise<Recovering> {
  const { documents, signal } = deps;
  const file = { ...reading, path, results: true, documents, signal };
  const buyers = makeBook(await portfolioOf(file), write, deps);
  const opened = await openPortfolio({ ...file, buyers });
  const read = readerFor(opened, path);
  const found: Recovering = {
    path,
    rows: 0,
    put: noCounts(),
    known: noCounts(),
    waiting: 0,
    replaced: 0,
    declined: 0,
    givenUp: 0,
    leftOut: [],
  };
  try {
    const counted = { ...eachKind(makeKeySet), session: makeKeySet(), held: makeKeySet() };
    for await (const batch of opened.batches()) await recoverLines(batch, read, { found, write, counted, told }, deps);
  } finally {
    await opened.close();
  }
  return found;
}

/** The portfolio of the file's first row. A results file has one portfolio only. */
async function portfolioOf(file: PortfolioFile): Promise<string> {
  const opened = await openPortfolio({ ...file, buyers: CLOSED_BOOK });
  const read = readerFor(opened, file.path);
  for await (const batch of opened.batches()) {
    for (const { cells } of batch) {
      const row = rowIdOf(read(cells).row);
      if (row) return row.portfolio;
    }
  }
  return '';
}

/** Identifies buyers as an import does, and stores them if `write` is true. */
function makeBook(portfolio: string, write: boolean, { buyers, retryUntilAnswered }: RecoverDeps): BuyerBook {
  const place = { portfolio, importId: 'recovered' };
  const store = makeBuyerStore({ buyers, retryUntilAnswered });
  return makeBuyerBook(write ? store : makeFileBuyers({ ...place, store }), place);
}

function readerFor({ header, problems }: Opened, path: string): (cells: readonly string[]) => ResultOutcome {
  const columns = outcomeColumns(header);
  if (columns === undefined) {
    const message = `${path} is not a results file: it lacks the columns that \`limitline report NAME --format csv\` writes, from state to limitline_account.`;
    throw new LimitlineError('FILE', message);
  }
  const [problem] = problems;
  if (problem) throw new LimitlineError('FILE', `${path} cannot be used: ${problem.message}`);
  return makeOutcomeReader(columns);
}

type Run = {
  found: Recovering;
  write: boolean;
  /** The keys of the calls counted so far, so that each call is counted once: a company is in the lines of all its requests. */
  counted: Record<RecoveredKind, KeySet>;
  /** What was counted of rows, in this file and those before. */
  told: KeySet;
};

async function recoverLines(
  lines: Line[],
  read: (cells: readonly string[]) => ResultOutcome,
  run: Run,
  deps: RecoverDeps,
) {
  const { found, write, counted, told: toldBefore } = run;
  const rows = lines
    .map((line) => ({ line, outcome: read(line.cells) }))
    .filter(({ line, outcome }) => {
      if (outcome.account !== deps.account) throw anotherAccount(found.path, line.line, outcome.account, deps.account);
      return (ROW_STATES as readonly string[]).includes(outcome.state);
    });
  found.rows += rows.length;
  for (const { outcome } of rows) {
    const is = lostOf(outcome);
    if (is && (outcome.row === '' || toldBefore.add(digestOf(`${is} ${outcome.row}`)))) found[is] += 1;
  }
  const told = await Promise.all(rows.map(({ line, outcome }) => lostCallsOf(line, outcome)));
  const answers = await Promise.all(
    told.map(({ calls }) => Promise.all(calls.map((call) => deps.recovery.putBack(call, { write })))),
  );
  await recoverLinks(
    rows.map(({ outcome }) => outcome),
    run,
    deps,
  );
  for (const [place, { line }] of rows.entries()) {
    const { calls = [], leftOut = [], uploads = [] } = told[place] ?? {};
    for (const what of leftOut) found.leftOut.push({ line: line.line, what });
    // A ledger that knows the limit of a row knew the row's documents before it.
    const isKnown = calls.some((call, at) => call.kind === 'limit' && answers[place]?.[at]?.is === 'known');
    if (!isKnown) for (const what of uploads) found.leftOut.push({ line: line.line, what, upload: true });
    for (const [at, call] of calls.entries()) {
      const answer = answers[place]?.[at];
      const kind = call.is === 'unknown' ? 'held' : call.kind;
      if (answer?.is === 'differs') found.leftOut.push({ line: line.line, what: differsWords(call, answer) });
      else if (answer && counted[kind].add(call.keys[0] ?? '')) found[answer.is][kind] += 1;
    }
  }
}

/** The link of a limit's last hosted session: the only one that a results file has. */
async function recoverLinks(
  outcomes: readonly ResultOutcome[],
  { found, write, counted }: Run,
  { calls: { sessions } }: RecoverDeps,
): Promise<void> {
  for (const { limitId, sessionLink: link, row } of outcomes) {
    if (limitId === '' || !isSessionUrl(link) || !counted.session.add(limitId)) continue;
    const is = await sessions.putBack(limitId, { link, row }, { write });
    found[is].session += 1;
  }
}

function differsWords(call: { kind: string; is: string; id?: string }, { id }: Extract<Recovered, { is: 'differs' }>) {
  return `the ledger knows the ${call.kind} as ${id}, but the file as ${call.id}; the ledger keeps its own`;
}

function anotherAccount(path: string, line: number, theirs: string, ours: string): LimitlineError {
  const where = { line: `${path}, line ${line},`, there: 'recover the file there' };
  return new LimitlineError('USAGE', otherAccountWords(where, theirs, ours));
}

/** What a row's line tells that is not restored, and is counted alone. */
function lostOf({ state, problem }: ResultOutcome): 'waiting' | 'replaced' | 'declined' | 'givenUp' | undefined {
  if (state === 'queued' || state === 'awaiting') return 'waiting';
  if (state !== 'cancelled') return undefined;
  if (problem.startsWith(REPLACED_BY_LINE)) return 'replaced';
  // As approval-moves.lua writes it.
  return problem.startsWith('declined by ') ? 'declined' : 'givenUp';
}

const noCounts = (): Record<RecoveredKind, number> => ({ ...eachKind(() => 0), session: 0, held: 0 });
