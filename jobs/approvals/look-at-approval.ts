import { Big } from 'big.js';
import { counted, grouped, moneyText } from '../../src/counted.ts';
import type { DocumentStore } from '../../src/documents/store.ts';
import { isLimitlineError } from '../../src/errors.ts';
import type { ApprovalLook, UnderstoodFile, WaitingRow } from '../../src/ledger/approvals/approval-look.ts';
import type { Approvals } from '../../src/ledger/approvals/approvals.ts';
import type { Calls } from '../../src/ledger/calls/calls.ts';
import { exactText, soleCurrency } from '../../src/ledger/counts/outcome-sums.ts';
import type { OtherRequests } from '../../src/ledger/plans/plan.ts';
import type { KnownImport } from '../../src/ledger/portfolios/imports.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { isPaused } from '../../src/ledger/portfolios/summary.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import type { Approval } from '../../src/ledger/schema/approval.ts';
import type { FoundRow } from '../../src/ledger/search/row-filter.ts';
import { readOnlyColumns } from '../../src/portfolio/columns/column.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import type { PortfolioDraft } from '../../src/portfolio/portfolio-draft.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { type ReadOptions, readOptionsSchema } from '../../src/portfolio/read-options.ts';
import { RESEND } from '../operators/ask-first.ts';
import { currencyOfPortfolio, makeImportLook, openImported } from '../rows/import-names.ts';
import { findOtherRequests, nameOtherRequests } from '../rows/other-requests.ts';
import { shownRequests } from '../rows/walk-rows.ts';
import { changedByHand } from './changed-by-hand.ts';
import { lookElsewhere, standingRows, standsElsewhere } from './look-elsewhere.ts';

type ApprovalLookDeps = {
  approvals: Approvals;
  portfolios: Portfolios;
  rows: Rows;
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
  const [state, imports, currency, { largest, isExact }, first, { goes, words }, others] = await Promise.all([
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
  return {
    approval: { ...approval, currency },
    goes,
    portfolio: {
      states: state.states,
      sum: exactText(Object.values(wanted)),
      currency: soleCurrency(state),
      isPaused: isPaused(state),
    },
    file: known && (await deps.understand(known)),
    largest: await Promise.all(largest.map((found) => waitingRowOf(found, approval, deps))),
    isLargestExact: isExact,
    first: first.map(({ result: { line, request } }) => ({ line, ...shownRequests(request) })),
    since: [...sinceWords(approval, known, imports), ...words],
    others: others && (await nameOtherRequests(others, deps)),
  };
}

/** The rows of a waiting approval whose buyer has another request, as far as they are found within {@link LOOK_MS}. */
async function othersOf(approval: Approval, deps: ApprovalLookDeps): Promise<OtherRequests | undefined> {
  if (approval.standing !== 'waiting' || approval.kind === 'answer') return undefined;
  const pages = async function* () {
    for await (const page of standingRows(approval, MOST_AT_ONCE, deps)) {
      // What was requested elsewhere meanwhile is told of by itself, and requests nothing.
      yield page.flatMap(({ found, stand }) => (stand === undefined ? [found] : []));
    }
  };
  return findOtherRequests(pages(), { untilMs: performance.now() + LOOK_MS }, deps.rows);
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

/** How long, in ms, lines are searched for warnings (enough for some 50,000), and rows for requests that are sent. */
const LOOK_MS = 1_000;

/**
 * How long an approval's page may read the file, in ms: enough for a workbook of many megabytes. After that, the page is shown without how
 * the file was read.
 */
const OPEN_MS = 5_000;

/** The most groups of equal warnings that are shown. */
const MOST_WARNINGS = 20;

/** The most files whose results are cached for further views. A file's copy never changes. */
const MOST_KEPT = 20;

/**
 * Makes a function that tells how an import's file was understood, from its copy and the import's read options. Answers nothing
 * where the copy is not in this data folder.
 *
 * @param uploads reads the uploads that are still kept, which have what people changed in them by hand
 */
export function makeUnderstandFile(
  { imports }: { imports: DocumentStore },
  uploads: () => Promise<readonly PortfolioDraft[]> = async () => [],
) {
  const kept = new Map<string, Read>();

  return async (known: KnownImport): Promise<UnderstoodFile | undefined> => {
    const content = `${known.id}\n${known.reading}`;
    const read = kept.get(content) ?? (await readFile(known, { imports, signal: AbortSignal.timeout(OPEN_MS) }));
    if (!read) return undefined;
    kept.delete(content);
    kept.set(content, read);
    for (const [oldest] of kept) {
      if (kept.size <= MOST_KEPT) break;
      kept.delete(oldest);
    }
    const { number, fileName: name, by, found, made } = known;
    const changes = made && changedByHand(known, read.columns, await uploads());
    return { number, name, by, found, made, changes, ...read };
  };
}

type UnderstandFile = ReturnType<typeof makeUnderstandFile>;

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

type Read = Pick<
  UnderstoodFile,
  'columns' | 'readOnly' | 'reading' | 'fileWarnings' | 'warnings' | 'lookedThrough' | 'isWhole'
>;

async function readFile(
  known: KnownImport,
  { imports, signal }: { imports: DocumentStore; signal: AbortSignal },
): Promise<Read | undefined> {
  try {
    const opened = await openImported(known, { imports, signal });
    const said = readOptionsSchema.parse(JSON.parse(known.reading));
    const columns = opened.columns
      .filter(({ written }) => written !== '')
      .map(({ written, known: meaning }) => ({ written: visible(written), known: meaning ?? undefined }));
    const ofLines = await readWarnings(opened);
    // Some warnings about the file are known only after its lines.
    const fileWarnings = opened.warnings.map(({ column, message }) => ({ column, message }));
    const readOnly = readOnlyColumns(opened.columns).map(visible);
    return { columns, readOnly, reading: readingWords(opened, said), fileWarnings, ...ofLines };
  } catch (error) {
    if (isLimitlineError(error, 'FILE', 'NOT_FOUND', 'STOPPED')) return undefined;
    throw error;
  }
}

/** Groups warnings by their text without the value. */
async function readWarnings(opened: Opened): Promise<Pick<Read, 'warnings' | 'lookedThrough' | 'isWhole'>> {
  const found = new Map<string, { words: string; lines: number; first: number }>();
  const untilMs = performance.now() + LOOK_MS;
  let [lookedThrough, isWhole] = [0, true];
  for await (const batch of opened.batches()) {
    for (const line of batch) {
      lookedThrough += 1;
      if (line.kind !== 'row') continue;
      for (const { message } of line.warnings) {
        const known = found.get(message) ?? { words: message, lines: 0, first: line.line };
        known.lines += 1;
        if (found.size < MOST_DIFFERENT) found.set(message, known);
      }
    }
    if (performance.now() > untilMs) {
      isWhole = false;
      break;
    }
  }
  const warnings = [...found.values()].sort((one, other) => other.lines - one.lines).slice(0, MOST_WARNINGS);
  return { warnings, lookedThrough, isWhole };
}

/** The most different warnings that are counted: a warning that quotes its line differs on each line. */
const MOST_DIFFERENT = 1_000;

const DELIMITERS: Readonly<Record<string, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'pipes' };

function readingWords({ dialect, headerLine, columns }: Opened, said: ReadOptions): string[] {
  const { mapping, decimal, dates, hiddenRows, sameBuyer } = said;
  const constants = Object.entries(mapping?.constants ?? {});
  return [
    ...(dialect.sheet === undefined
      ? [dialect.encoding.toUpperCase(), `separated by ${DELIMITERS[dialect.delimiter] ?? dialect.delimiter}`]
      : [`sheet "${visible(dialect.sheet)}"`]),
    ...(headerLine === null ? [] : [`header in line ${headerLine}`]),
    ...(decimal === undefined ? [] : [`decimals after a ${decimal === '.' ? 'point' : 'comma'}`]),
    ...(dates === undefined ? [] : [dates === 'dmy' ? 'day before month' : 'month before day']),
    ...(hiddenRows ? ['hidden rows too'] : []),
    ...columns.filter(({ extra }) => extra).map(({ written, extra }) => `${visible(written)} sent as ${extra}`),
    ...constants.map(([column, value]) => `${column} on every line: ${visible(String(value))}`),
    ...(sameBuyer && sameBuyer.length > 0
      ? [`lines that a person said are of the buyer that their numbers name: ${sameBuyer.slice(0, 20).join(', ')}`]
      : []),
  ];
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
