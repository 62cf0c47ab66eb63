import { Big } from 'big.js';
import { counted, grouped, moneyText } from '../../src/counted.ts';
import type { ApprovalLook, WaitingRow } from '../../src/ledger/approvals/approval-look.ts';
import type { Approvals } from '../../src/ledger/approvals/approvals.ts';
import type { Calls } from '../../src/ledger/calls/calls.ts';
import { exactText, soleCurrency } from '../../src/ledger/counts/outcome-sums.ts';
import type { OtherRequests } from '../../src/ledger/plans/plan.ts';
import type { KnownImport } from '../../src/ledger/portfolios/imports.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { isPaused } from '../../src/ledger/portfolios/summary.ts';
import type { Buyers } from '../../src/ledger/rows/buyers.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import type { Approval } from '../../src/ledger/schema/approval.ts';
import type { FoundRow } from '../../src/ledger/search/row-filter.ts';
import { RESEND } from '../operators/ask-first.ts';
import { currencyOfPortfolio, makeImportLook } from '../rows/import-names.ts';
import { findOtherRequests, nameOtherRequests } from '../rows/other-requests.ts';
import { shownRequests } from '../rows/walk-rows.ts';
import { lookElsewhere, standingRows, standsElsewhere } from './look-elsewhere.ts';
import type { UnderstandFile } from './understand-file.ts';

type ApprovalLookDeps = {
  approvals: Approvals;
  portfolios: Portfolios;
  rows: Rows;
  buyers: Pick<Buyers, 'alikeTo'>;
  calls: Pick<Calls, 'stateOf'>;
  understand: UnderstandFile;
};

/** How many requests of an approval's file are shown as they will be sent: enough to see how the file is understood. */
const FIRST_REQUESTS = 3;

/** Rows read at a time for these: mostly the first rows are sent. */
const FIRST_PAGE = 10;

/** All that an approver must see before saying yes; nothing where there is no such approval. */
export async function lookAtApproval(id: string, deps: ApprovalLookDeps): Promise<ApprovalLook | undefined> {
  const approval = await deps.approvals.read(id);
  if (!approval) return undefined;
  const { portfolio } = approval;
  const [state, imports, currency, { largest, isExact }, first, { goes, words }, [others, alike]] = await Promise.all([
    deps.portfolios.read(portfolio),
    deps.portfolios.allImports(portfolio),
    makeApprovalCurrency(deps)(approval),
    largestRows(approval, deps),
    firstRows(approval, deps),
    lookElsewhere(approval, deps),
    othersOf(approval, deps),
  ]);
  const known = imports.find(({ number }) => String(number) === approval.importId);
  const { cancelled: _gone, ...wanted } = state.sums.byState;
  const file = known && (await deps.understand(known));
  return {
    approval: { ...approval, currency },
    goes,
    portfolio: {
      states: state.states,
      sum: exactText(Object.values(wanted)),
      currency: soleCurrency(state),
      isPaused: isPaused(state),
    },
    file,
    unread: known && !file ? { made: known.made } : undefined,
    largest: await Promise.all(largest.map((found) => waitingRowOf(found, approval, deps))),
    isLargestExact: isExact,
    first: first.map(({ result: { line, request } }) => ({ line, ...shownRequests(request) })),
    since: [...sinceWords(approval, known, imports), ...words],
    others: others && (await nameOtherRequests(others, deps)),
    alike: alike && (await nameOtherRequests(alike, deps)),
  };
}

/**
 * The rows of a waiting approval whose buyer has another request, and those whose buyer may be the same company as one that has, as far as
 * they are found within {@link LOOK_MS}.
 */
async function othersOf(approval: Approval, deps: ApprovalLookDeps): Promise<(OtherRequests | undefined)[]> {
  if (approval.standing !== 'waiting' || approval.kind === 'answer') return [];
  const untilMs = performance.now() + LOOK_MS;
  const pages: FoundRow[][] = [];
  let isInTime = true;
  for await (const page of standingRows(approval, MOST_AT_ONCE, deps)) {
    // What was requested elsewhere meanwhile is told of by itself, and requests nothing.
    pages.push(page.flatMap(({ found, stand }) => (stand === undefined ? [found] : [])));
    isInTime = performance.now() < untilMs;
    if (!isInTime) break;
  }
  const found = [{}, { alikeTo: deps.buyers.alikeTo }].map((how) => findOtherRequests(pages, how, deps.rows));
  return (await Promise.all(found)).map((some) => some && { ...some, isExact: some.isExact && isInTime });
}

/** Rows read at a time for these. */
const MOST_AT_ONCE = 500;

/** How many rows of an approval are shown: as many as a person reads before saying yes. */
const SHOWN = 10;

/** The largest rows of an approval, largest first. If `isExact` is false, others may be larger: see `rows.largestOf`. */
export async function largestRows(
  approval: Pick<Approval, 'id' | 'portfolio'>,
  { rows }: { rows: Pick<Rows, 'largestOf'> },
): Promise<{ largest: FoundRow[]; isExact: boolean }> {
  const { found, isExact } = await rows.largestOf(approval, SHOWN);
  return { largest: found.sort(byAmount).slice(0, SHOWN), isExact };
}

/** How long, in ms, rows are searched for what an approver is shown of them. */
const LOOK_MS = 1_000;

/** The first rows of an approval that send something after a yes, as far as they are found within {@link LOOK_MS}. */
async function firstRows(approval: Approval, deps: ApprovalLookDeps): Promise<FoundRow[]> {
  const first: FoundRow[] = [];
  const untilMs = performance.now() + LOOK_MS;
  for await (const page of standingRows(approval, FIRST_PAGE, deps)) {
    for (const { found, stand } of page) {
      const { approval: id, awaits } = found.result;
      // An answer is about a call in doubt, and a call that was made according to it is not sent.
      const isSent = awaits?.answer ? awaits.answer === RESEND && stand !== 'made' : !stand;
      if (id === approval.id && isSent) first.push(found);
    }
    if (first.length >= FIRST_REQUESTS || performance.now() > untilMs) break;
  }
  return first.slice(0, FIRST_REQUESTS);
}

async function waitingRowOf(
  { row, result }: FoundRow,
  { kind }: Approval,
  { calls }: ApprovalLookDeps,
): Promise<WaitingRow> {
  const { line, request, awaits } = result;
  return {
    row,
    line,
    name: request.name,
    amount: request.limit.requested_limit,
    was: awaits?.was,
    said: awaits && awaits.answer !== '' ? awaits.answer : undefined,
    elsewhere: kind === 'answer' ? undefined : await standsElsewhere({ row, result }, { calls }),
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

/**
 * Makes a function that tells the currency of an approval's sum: the one that its import's file names, or else the one that all files of
 * the portfolio name.
 */
export function makeApprovalCurrency({ portfolios }: { portfolios: Pick<Portfolios, 'allImports'> }) {
  const importOf = makeImportLook({ portfolios });
  return async ({ portfolio, importId }: Pick<Approval, 'portfolio' | 'importId'>): Promise<string | undefined> => {
    if (importId === undefined) return currencyOfPortfolio(portfolio, { portfolios });
    return (await importOf({ portfolio }, importId))?.found?.currency;
  };
}
