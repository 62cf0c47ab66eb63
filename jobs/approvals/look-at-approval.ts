import { Big } from 'big.js';
import { counted, grouped } from '../../src/counted.ts';
import type { ApprovalLook, WaitingRequest, WaitingRow } from '../../src/ledger/approvals/approval-look.ts';
import type { Approvals } from '../../src/ledger/approvals/approvals.ts';
import type { KnownImport } from '../../src/ledger/portfolios/imports.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import type { Approval } from '../../src/ledger/schema/approval.ts';
import type { FoundRow } from '../../src/ledger/search/row-filter.ts';
import { moneyText } from '../../src/money-text.ts';
import { RESEND } from '../operators/ask-first.ts';
import type { UnderstandFile } from './understood-file.ts';

type ApprovalLookDeps = {
  approvals: Approvals;
  portfolios: Portfolios;
  rows: Rows;
  understand: UnderstandFile;
};

/** Enough requests to see how the file is understood. */
const FIRST_REQUESTS = 3;

/** All that an approver must see before saying yes; nothing where there is no such approval. */
export async function lookAtApproval(id: string, deps: ApprovalLookDeps): Promise<ApprovalLook | undefined> {
  const approval = await deps.approvals.read(id);
  if (!approval) return undefined;
  const { portfolio } = approval;
  const [state, imports, { largest, isExact }, first] = await Promise.all([
    deps.portfolios.read(portfolio),
    deps.portfolios.allImports(portfolio),
    largestRows(approval, deps),
    firstRows(approval, deps),
  ]);
  const known = imports.find(({ number }) => String(number) === approval.importId);
  return {
    approval,
    portfolio: { states: state.states, sum: state.sums.inAllRows, isPaused: state.paused !== undefined },
    file: known && (await deps.understand(known)),
    largest: largest.map(waitingRowOf),
    isLargestExact: isExact,
    // A row whose call is answered as made sends nothing.
    first: first.filter(({ result: { awaits } }) => !awaits?.answer || awaits.answer === RESEND).map(requestOf),
    since: sinceWords(approval, known, imports),
  };
}

/** As many as a person reads before saying yes. */
const SHOWN = 10;

/** The largest rows of an approval, largest first. If `isExact` is false, others may be larger: see `rows.largestOf`. */
export async function largestRows(
  approval: Pick<Approval, 'id' | 'portfolio'>,
  { rows }: { rows: Pick<Rows, 'largestOf'> },
): Promise<{ largest: FoundRow[]; isExact: boolean }> {
  const { found, isExact } = await rows.largestOf(approval, SHOWN);
  return { largest: found.sort(byAmount).slice(0, SHOWN), isExact };
}

async function firstRows(approval: Approval, { approvals, rows }: ApprovalLookDeps): Promise<FoundRow[]> {
  const names = await approvals.rowsOf(approval, { count: FIRST_REQUESTS });
  const results = await rows.read(names);
  return names.flatMap((row, place) => {
    const result = results[place];
    return result?.approval === approval.id ? [{ row, result }] : [];
  });
}

function waitingRowOf({ row, result }: FoundRow): WaitingRow {
  const { line, request, awaits } = result;
  return {
    row,
    line,
    name: request.name,
    amount: request.limit.requested_limit,
    was: awaits?.was,
    said: awaits && awaits.answer !== '' ? awaits.answer : undefined,
  };
}

/** The request as the ledger has it and sends it, with texts in place of ids that earlier calls answer. */
function requestOf({ result: { line, request } }: FoundRow): WaitingRequest {
  const names = request.documents.map(({ name }) => name);
  return {
    line,
    company: request.companyId === undefined ? (request.company ?? null) : null,
    documents: names,
    limit: {
      company: request.companyId ?? '(the id of the company above)',
      ...request.limit,
      requested_limit: Number(request.limit.requested_limit),
      ...(names.length > 0 ? { supporting_documents: names.map((name) => `(the id of ${name})`) } : {}),
    },
  };
}

/** What has changed since the request for approval, as far as the ledger knows. */
function sinceWords(
  { askedMs, standing, rows, sum, atFirst }: Approval,
  own: KnownImport | undefined,
  imports: readonly KnownImport[],
): string[] {
  if (standing !== 'waiting') return [];
  const later = imports.filter(({ number, lastMs }) => number !== own?.number && lastMs > askedMs);
  const left = atFirst === undefined ? 0 : atFirst.rows - rows;
  return [
    ...later.map(
      ({ fileName, by, found }) =>
        `${fileName} was imported into the portfolio${by ? ` by ${by}` : ''}${found ? ` (${counted(found.lines, 'line')})` : ''}. What it changed waits for an approval of its own.`,
    ),
    ...(left > 0
      ? [
          `${counted(left, 'row')} ${left === 1 ? 'was' : 'were'} changed, given up or replaced: ${grouped(atFirst?.rows ?? 0)} waited at first, ${moneyText(atFirst?.sum ?? '0')}; these are ${grouped(rows)}, ${moneyText(sum)}.`,
        ]
      : []),
  ];
}

function byAmount({ result: one }: FoundRow, { result: other }: FoundRow): number {
  return new Big(other.request.limit.requested_limit).cmp(one.request.limit.requested_limit) || one.line - other.line;
}
