import { groupedAmount } from '../../src/counted.ts';
import { type BuyerRow, type BuyerRows, NO_BUYER_ROWS } from '../../src/ledger/rows/buyer-rows.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { isUnfinished } from '../../src/ledger/schema/row.ts';
import { rowIdOf, rowName } from '../../src/ledger/schema/schema.ts';
import type { Line } from '../../src/portfolio/lines/row.ts';
import { makeProblem } from '../../src/portfolio/problem.ts';
import type { Place } from './decide-line.ts';
import type { ImportTarget, LineDeps } from './put-line.ts';

export type InvalidLine = Extract<Line, { kind: 'invalid' }>;

/** Invalid lines with the rows that each may correct. Lines without any are missing. */
export type DoubtedRows = Map<InvalidLine, BuyerRow[]>;

/**
 * Finds rows of earlier imports that would be sent as they were although an invalid line of this file may correct them: the row of the
 * line's own request if its amount differs or cannot be read, else rows of the line's buyer that a valid line could replace. A new
 * request_reference asks for another request, so such a line corrects none. Rows that this import left out already are found again, so that
 * the same file has the same problems each time.
 */
export async function doubtedRows(
  batch: readonly Line[],
  place: Place,
  rows: Pick<Rows, 'ofBuyers' | 'wholeOf' | 'ofRow'>,
): Promise<DoubtedRows> {
  const lines = batch
    .filter((line) => line.kind === 'invalid')
    .filter(({ buyer, isNamed }) => buyer && isNamed !== undefined);
  const found: DoubtedRows = new Map();
  if (lines.length === 0) return found;
  const known = await rows.ofBuyers([...new Set(lines.map(({ buyer = '' }) => buyer))]);
  for (const line of lines) {
    const { buyer = '' } = line;
    if (known.get(buyer)?.isWhole === false) known.set(buyer, await rows.wholeOf(buyer));
    const doubted = await doubtedBy(line, known.get(buyer) ?? NO_BUYER_ROWS, { ...place, rows });
    if (doubted.length > 0) found.set(line, doubted);
  }
  return found;
}

/**
 * Cancels the rows that invalid lines of the batch may correct, unless they were sent by now, and says so in these lines' problems. Else the
 * old amount would be requested, and the mended line would request a second limit. Answers the lines and the cancelled rows.
 */
export async function leaveOutDoubted(
  target: ImportTarget,
  batch: readonly Line[],
  { rows, retryUntilAnswered }: LineDeps,
): Promise<DoubtedRows> {
  const { importId, run, fileName } = target;
  const file = { importId, begun: run.begun };
  const isLeft = async ({ row, by }: { row: BuyerRow; by: number }) => {
    const message = `given up, because line ${by} of ${fileName} may correct it and has a problem`;
    return row.state === 'cancelled' || (await rows.leaveOut(row.row, file, { step: 'limit', message }));
  };
  // If a reply was lost, all rows are read again: those that were left out by then are known by it.
  const { doubted, gone } = await retryUntilAnswered('leave out', async () => {
    const doubted = await doubtedRows(batch, target, rows);
    // Several lines may doubt one row.
    const candidates = new Map<string, { row: BuyerRow; by: number }>();
    for (const [{ line: by }, found] of [...doubted].toReversed())
      for (const row of found) candidates.set(rowName(row.row), { row, by });
    const answers = await Promise.all([...candidates.values()].map(isLeft));
    return { doubted, gone: new Set([...candidates.keys()].filter((_name, at) => answers[at])) };
  });
  const left: DoubtedRows = new Map();
  for (const [line, found] of doubted) {
    const its = found.filter(({ row }) => gone.has(rowName(row)));
    if (its.length === 0) continue;
    sayDoubted(line, its);
    left.set(line, its);
  }
  return left;
}

/** Adds to the problems of a line which rows are not sent because of it. */
export function sayDoubted(line: InvalidLine, rows: readonly BuyerRow[]): void {
  const named = rows.slice(0, MOST_NAMED).map(({ line: of, amount }) => `line ${of} (${groupedAmount(amount)})`);
  const more = rows.length > MOST_NAMED ? ` and ${rows.length - MOST_NAMED} more` : '';
  const which = rows.length === 1 ? 'a request that is therefore not sent' : 'requests that are therefore not sent';
  const message = `This line may correct ${which}: ${named.join(', ')}${more} of an earlier file.`;
  line.problems.push(makeProblem(line.line, null, null, message));
}

/** Most rows named in a problem. */
const MOST_NAMED = 5;

async function doubtedBy(
  line: InvalidLine,
  { rows }: BuyerRows,
  { portfolio, importId, mendedRow, file, rows: all }: Place & { rows: Pick<Rows, 'ofRow'> },
): Promise<BuyerRow[]> {
  const isWaiting = ({ row, state, limit, importId: last, replaced }: BuyerRow) =>
    row.portfolio === portfolio &&
    last !== importId &&
    limit === 'free' &&
    (isUnfinished(state) || (replaced?.importId === importId && replaced.key === ''));
  const named = rowIdOf(mendedRow(line.cells));
  const key = named?.key ?? line.key;
  const own = rows.find(({ row }) => row.portfolio === portfolio && row.key === key);
  if (own) return isWaiting(own) && own.amount !== line.requested ? [own] : [];
  // A reference that is another buyer's does not say which request is meant.
  if (named || (line.isNamed && !(await all.ofRow({ portfolio, key })))) return [];
  const others = rows.filter(isWaiting);
  if (others.length === 0) return [];
  const ofFile = await file();
  return others.filter(({ row }) => !ofFile.has(row.key) && !ofFile.mends(row.key));
}
