import type { DocumentStore } from '../../src/documents/store.ts';
import type { ImportRun } from '../../src/ledger/portfolios/imports.ts';
import { type AskingLine, declinedRequest, describeRow, otherRequest } from '../../src/ledger/portfolios/replacing.ts';
import { type BuyerRow, type BuyerRows, bringsBack, NO_BUYER_ROWS } from '../../src/ledger/rows/buyer-rows.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { is, isUnfinished, type PutAnswer, type RowDocument, type RowRequest } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import type { RetryUntilAnswered } from '../../src/ledger/schema/until-answered.ts';
import type { Line, Row } from '../../src/portfolio/lines/row.ts';
import { makeProblem, type Problem } from '../../src/portfolio/problem.ts';
import { areOfOtherCompanies, companyWords } from '../rows/sent-for.ts';
import { changedProblem, sentRequest } from './changed-line.ts';
import {
  buyerRowsAfter,
  decideLine,
  type LineDecision,
  mayTake,
  otherBuyersLine,
  otherCompanyWarning,
  type Place,
  type RowLine,
  refusedLine,
  requestedBy,
  rowDocument,
  rowRequest,
} from './decide-line.ts';
import type { ImportApproval } from './import-approval.ts';
import { requestsFor } from './known-requests.ts';

export type LineDeps = { rows: Rows; documents: DocumentStore; retryUntilAnswered: RetryUntilAnswered };

/** The beginning of the problem of a row that a corrected line replaced. Results files contain this text, and `recover` reads it. */
export const REPLACED_BY_LINE = 'replaced by line';

/** The import that lines are put for. */
export type ImportTarget = Place & {
  fileName: string;
  run: ImportRun;
  approval: ImportApproval;
  sentIn: Set<string>;
  asWritten: (line: Line) => void;
};

/** A line to put, and the decision made from its buyer's known requests. */
export type AskedLine = {
  line: RowLine;
  row: RowId;
  request: RowRequest;
  statements: string | undefined;
  ofBuyer: BuyerRows;
  decision: LineDecision;
};

/**
 * The result of a line: `replaced` is the row that it replaced; `isBefore` says that its request was made before; `isRevived` that it had
 * been given up.
 */
export type PutEnd = {
  line: Line;
  row: RowId;
  is: PutAnswer | 'refused';
  replaced?: BuyerRow;
  isBefore?: boolean;
  isRevived?: boolean;
};

/** Prepares a line from the requests `known` of its buyer. Copies its documents into the data folder. */
export async function askOf(
  target: ImportTarget,
  line: RowLine,
  known: ReadonlyMap<string, BuyerRows>,
  deps: LineDeps,
): Promise<AskedLine> {
  const ofBuyer = known.get(line.row.buyer) ?? NO_BUYER_ROWS;
  return {
    line,
    row: { portfolio: target.portfolio, key: line.row.key },
    request: await toRequest(line.row, deps.documents),
    statements: line.row.statements,
    ofBuyer,
    decision: await decide(target, line, ofBuyer, deps),
  };
}

/** Puts one line, retrying as long as the ledger asks for a new decision. Updates its buyer's requests in `known`. */
export async function putLine(
  target: ImportTarget,
  asked: AskedLine,
  known: Map<string, BuyerRows>,
  deps: LineDeps,
): Promise<PutEnd> {
  const { line, row, request, statements } = asked;
  let { ofBuyer, decision } = asked;
  let takes: string | undefined;
  let ofDeclined: string | undefined;
  for (;;) {
    if ('problem' in decision) return { line: refusedLine(line, decision), row, is: 'refused' };
    const { replaces } = decision;
    const given = replaces && { key: replaces.row.key, problem: replacedBy(line.line, target) };
    const { number, generation, beganMs: began } = target.run;
    const approval = ofDeclined ?? target.approval.id();
    const seen = ofBuyer.count;
    const put = () =>
      deps.rows.put(row, line.line, number, request, generation, {
        began,
        seen,
        takes,
        approval,
        statements,
        ...given,
      });
    const is = await deps.retryUntilAnswered('put', put);
    if (is === 'closed') {
      const renewed = await target.approval.renew(approval ?? '');
      if (ofDeclined !== undefined) ofDeclined = renewed;
      continue;
    }
    if (is === 'declined') {
      ofDeclined = await target.approval.ofDeclined();
      continue;
    }
    if (is === 'again') {
      const now = await deps.retryUntilAnswered('buyers', () => requestsFor([line], target.portfolio, deps.rows));
      ofBuyer = now.get(line.row.buyer) ?? NO_BUYER_ROWS;
      decision = await decide(target, line, ofBuyer, deps);
      continue;
    }
    if (is === 'other') {
      const [other] = await deps.retryUntilAnswered('read', () => deps.rows.read([row]));
      const known = other && { ...other.request, line: other.line };
      const cell = target.mendedRow(line.cells);
      if (known && !mayTake(request, known, { row, cell })) return { line: otherBuyersLine(line, known), row, is };
      takes = known?.buyer;
      continue;
    }
    if (is === 'changed') {
      const sent = await deps.retryUntilAnswered('read', () => sentRequest(row, request.buyer, deps.rows));
      const at = { line: line.line, portfolio: row.portfolio };
      return { line: refusedLine(line, { problem: changedProblem(at, request, sent) }), row, is };
    }
    return endOf(target, { ...asked, ofBuyer, decision }, is, known);
  }
}

/** Completes a line that was put: updates its buyer's requests in `known`, and adds a warning about another request. */
export async function endOf(
  target: ImportTarget,
  { line, row, ofBuyer, decision }: AskedLine,
  is: PutAnswer,
  known: Map<string, BuyerRows>,
): Promise<PutEnd> {
  const { asking } = decision;
  const replaces = 'replaces' in decision ? decision.replaces : undefined;
  known.set(line.row.buyer, buyerRowsAfter(ofBuyer, asking, { is, replaces }));
  // A line whose request ended or was made before asks for nothing, so it gets no warning.
  const besides =
    is === 'ended' ? undefined : await warningOfOther(line, { asking, rows: ofBuyer.rows, replaces }, target);
  if (besides) line.warnings.push(besides.warning);
  const other = is === 'ended' ? otherCompanyWarning(line, ofBuyer) : undefined;
  if (other) line.warnings.push(other);
  const own = ofBuyer.rows.filter((one) => one.row.key === row.key);
  const isBefore = is === 'ended' && !own.some(({ state }) => state === 'held');
  const isRevived = (is === 'added' || is === 'renewed') && bringsBack(row, ofBuyer.rows);
  return { line, row, is, isBefore, isRevived, ...(replaces ? { replaced: replaces } : {}) };
}

function decide(target: ImportTarget, line: RowLine, ofBuyer: BuyerRows, deps: LineDeps): Promise<LineDecision> {
  // Reads from Redis are retried. A failed read of the imported file is not: it ends the import.
  const rows = { ofRow: (other: RowId) => deps.retryUntilAnswered('read', () => deps.rows.ofRow(other)) };
  return decideLine(target, line, { ofBuyer, rows });
}

function replacedBy(line: number, { fileName }: ImportTarget) {
  return { step: 'limit', message: `${REPLACED_BY_LINE} ${line} of ${fileName}` } as const;
}

/** A line's row as the ledger keeps it. Copies its documents into the data folder. */
async function toRequest(row: Row, store: DocumentStore): Promise<RowRequest> {
  const documents: RowDocument[] = [];
  for (const document of row.documents) documents.push(rowDocument(document, await store.put(document)));
  return rowRequest(row, documents);
}

/**
 * A warning about other requests of the line's buyer. It is about another request (`otherRequest`), or about this request in other
 * portfolios (`elsewhere`), where it is under way or waits for approval. `isBesides`: the other request is made in addition. It is not if
 * it was refused, because a refused row is not sent again by itself. The warning also names a request of the buyer that a person declined.
 */
export async function warningOfOther(
  line: RowLine,
  { asking, rows, replaces }: { asking: AskingLine; rows: readonly BuyerRow[]; replaces: BuyerRow | undefined },
  { fileOf }: Pick<Place, 'fileOf'>,
): Promise<{ warning: Problem; isBesides: boolean; elsewhere: readonly BuyerRow[] } | undefined> {
  const { key, portfolio } = asking.row;
  const elsewhere = rows.filter(
    ({ row, state }) => row.key === key && row.portfolio !== portfolio && isUnfinished(state),
  );
  const same = elsewhere.find(({ state }) => is('isOpen', state)) ?? elsewhere[0];
  // Rows of other portfolios with the same request lead to one call, so they are no second request, whatever their amounts.
  const others = rows.filter((one) => !elsewhere.includes(one));
  const other = otherRequest(asking, others, replaces);
  const no = declinedRequest(asking, rows, replaces);
  if (!same && !other && !no) return undefined;
  const isBesides = other !== undefined && other.state !== 'refused';
  const result = isBesides ? 'this limit is requested as well' : 'limitline retry would send that one as well';
  const already = same && (is('isOpen', same.state) ? 'is under way' : 'waits for an approval');
  const described = async (row: BuyerRow) => describeRow(row, await fileOf(row));
  const sameFor =
    same?.request && areOfOtherCompanies(requestedBy(line), same.request) ? `, for ${companyWords(same.request)}` : '';
  const waits = same
    ? `This request ${already} already, ${await described(same)}${sameFor}: it is requested once, by whichever goes first.`
    : '';
  const alike = other?.amount === asking.amount ? SAME_AMOUNT : '';
  const besides = other ? `The same buyer has another request${alike}, ${await described(other)}: ${result}.` : '';
  const declined = no?.declined ? declinedWords(await described(no), no.declined) : '';
  const message = [waits, besides, declined].filter(Boolean).join(' ');
  const warning = makeProblem(line.line, 'requested_limit', asking.amount, message);
  return { warning, isBesides, elsewhere };
}

function declinedWords(request: string, { words, atMs }: NonNullable<BuyerRow['declined']>): string {
  return `A request of this buyer, ${request}, was declined on ${new Date(atMs).toISOString().slice(0, 10)} ${words}.`;
}

const SAME_AMOUNT = ' of the same amount, with another request_reference or none';
