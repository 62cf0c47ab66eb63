import { groupedAmount } from '../../src/counted.ts';
import { type BuyerRow, type BuyerRows, NO_BUYER_ROWS } from '../../src/ledger/rows/buyer-rows.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { isUnfinished } from '../../src/ledger/schema/row.ts';
import { rowIdOf, rowName } from '../../src/ledger/schema/schema.ts';
import { alikeOfName } from '../../src/portfolio/identity/identity.ts';
import type { Line } from '../../src/portfolio/lines/row.ts';
import { makeProblem } from '../../src/portfolio/problem.ts';
import type { Place } from './decide-line.ts';
import { correctionsOf } from './mend-rows.ts';
import type { ImportTarget, LineDeps } from './put-line.ts';

export type InvalidLine = Extract<Line, { kind: 'invalid' }>;

/** Invalid lines with the rows that each may correct. Lines without any are missing. */
export type DoubtedRows = Map<InvalidLine, BuyerRow[]>;

type DoubtRows = Pick<Rows, 'ofBuyers' | 'wholeOf' | 'ofRow' | 'read'>;

/**
 * Finds rows of earlier imports that would be sent as they were although an invalid line of this file may correct them. It is the row that
 * the line names, by its request_reference or its cell `row`, if its amount differs or cannot be read. A line that names none may correct
 * the rows of its buyer that a valid line could replace; a new request_reference asks for another request. A line of an errors file had
 * cancelled them when it came first: those that wait by now were brought in since, perhaps by other lines of that errors file. Rows that this
 * import left out already are found again, so that the same file has the same problems each time.
 */
export async function doubtedRows(batch: readonly Line[], place: Place, rows: DoubtRows): Promise<DoubtedRows> {
  const lines = batch.filter((line) => line.kind === 'invalid').filter(({ isNamed }) => isNamed !== undefined);
  if (lines.length === 0) return new Map();
  const known = await rows.ofBuyers([...new Set(lines.flatMap(({ buyer }) => buyer || []))]);
  const others = new Map<string, Promise<BuyerRow[]>>();
  const othersOf = (buyer: string) => {
    const found = others.get(buyer) ?? waitingOf(known.get(buyer) ?? NO_BUYER_ROWS, buyer, { ...place, rows });
    others.set(buyer, found);
    return found;
  };
  const found = await Promise.all(
    lines.map(async (line) => {
      const meant = await meantBy(line, known.get(line.buyer ?? '') ?? NO_BUYER_ROWS, { ...place, rows });
      if (meant === 'new') return [];
      if (meant !== 'unknown') return isWaiting(meant, place) && meant.amount !== line.requested ? [meant] : [];
      return line.buyer && place.earlierProblem(line.cells) === '' ? othersOf(line.buyer) : [];
    }),
  );
  return new Map(lines.flatMap((line, at) => (found[at]?.length ? [[line, found[at]]] : [])));
}

/**
 * Cancels the rows that invalid lines of the batch may correct, unless they were sent by now, and says so in these lines' problems. Else the
 * old amount would be requested, and the mended line would request a second limit. Answers these lines and the cancelled rows.
 */
export async function leaveOutDoubted(
  target: ImportTarget,
  batch: readonly Line[],
  { rows, retryUntilAnswered }: LineDeps,
): Promise<{ lines: InvalidLine[]; left: BuyerRow[] }> {
  const { importId, run, fileName } = target;
  const file = { importId, begun: run.begun };
  const isLeft = async ({ row, by }: { row: BuyerRow; by: number }) => {
    const message = `given up, because line ${by} of ${fileName} may correct it and has a problem`;
    return row.state === 'cancelled' || (await rows.leaveOut(row.row, file, { step: 'limit', message }));
  };
  // If a reply was lost, all rows are read again: those that were left out by then are known by it.
  const { doubted, left } = await retryUntilAnswered('leave out', async () => {
    const doubted = await doubtedRows(batch, target, rows);
    const candidates = new Map<string, { row: BuyerRow; by: number }>();
    // Lines of one buyer share their rows.
    const shared = new Map([...doubted].toReversed().map(([{ line }, found]) => [found, line]));
    for (const [found, by] of shared) for (const row of found) candidates.set(rowName(row.row), { row, by });
    const all = [...candidates.values()];
    const answers = await Promise.all(all.map(isLeft));
    return { doubted, left: all.filter((_one, at) => answers[at]).map(({ row }) => row) };
  });
  const gone = new Set(left.map(({ row }) => rowName(row)));
  const goneOf = new Map(
    [...new Set(doubted.values())].map((its) => [its, its.filter(({ row }) => gone.has(rowName(row)))]),
  );
  const told = [...doubted].flatMap(([line, found]) => {
    const its = goneOf.get(found) ?? [];
    return its.length > 0 ? [{ line, its }] : [];
  });
  for (const { line, its } of told) sayDoubted(line, its);
  return { lines: told.map(({ line }) => line), left };
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

/**
 * The row that a line names: `new` if its request has none yet, `unknown` if the line does not say which one it means. A reference that is
 * another buyer's says nothing, unless that buyer has the same name.
 */
async function meantBy(
  { cells, key, isNamed, buyer, name }: InvalidLine,
  { rows: known, isWhole }: BuyerRows,
  { portfolio, mendedRow, rows }: Place & { rows: DoubtRows },
): Promise<BuyerRow | 'new' | 'unknown'> {
  const cell = rowIdOf(mendedRow(cells));
  if (cell) {
    let last = await rows.ofRow(cell);
    if (last) for await (const next of correctionsOf(last, rows)) last = next ?? last;
    return last ?? 'new';
  }
  const own = known.find(({ row }) => row.portfolio === portfolio && row.key === key);
  // A line that revives its own cancelled row may correct another one besides.
  if (own && (isNamed || own.state !== 'cancelled')) return own;
  if (key === '' || (!isNamed && isWhole)) return 'unknown';
  const row = { portfolio, key };
  const [found, [result]] = await Promise.all([rows.ofRow(row), rows.read([row])]);
  if (!found || !result) return isNamed ? 'new' : 'unknown';
  if (!isNamed && found.state === 'cancelled') return 'unknown';
  const { request } = result;
  const isSame = request.buyer === buyer || name === undefined || alikeOfName(request.name) === alikeOfName(name);
  return isSame ? found : 'unknown';
}

/** The rows of a buyer that a valid line could replace; none of a buyer with more requests than can be read. */
async function waitingOf(
  known: BuyerRows,
  buyer: string,
  { file, rows, ...place }: Place & { rows: DoubtRows },
): Promise<BuyerRow[]> {
  const whole = known.isWhole ? known : await rows.wholeOf(buyer);
  const waiting = whole.isWhole ? whole.rows.filter((one) => isWaiting(one, place)) : [];
  if (waiting.length === 0) return [];
  const ofFile = await file();
  return waiting.filter(({ row }) => !ofFile.has(row.key) && !ofFile.mends(row.key));
}

/** Whether a row of an earlier import would be sent, by itself or after a person's retry or answer, or was left out by this import. */
function isWaiting(
  { row, state, limit, importId: last, replaced }: BuyerRow,
  { portfolio, importId }: Pick<Place, 'portfolio' | 'importId'>,
): boolean {
  if (row.portfolio !== portfolio || limit !== 'free') return false;
  if (replaced?.importId === importId && replaced.key === '') return true;
  const isEarlier = importId === '' || Number(last) < Number(importId);
  return isEarlier && (isUnfinished(state) || state === 'refused' || state === 'held');
}
