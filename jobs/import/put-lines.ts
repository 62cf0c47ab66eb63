import type { FaultyLine, NotedLine } from '../../src/ledger/portfolios/faulty-lines.ts';
import type { BuyerRows } from '../../src/ledger/rows/buyer-rows.ts';
import type { NewRow } from '../../src/ledger/rows/put-rows.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import { type Line, requestOf } from '../../src/portfolio/lines/row.ts';
import type { Queues } from '../../src/queue/queues.ts';
import { type RowLine, rowRequest } from './decide-line.ts';
import { requestsFor } from './known-requests.ts';
import { type AskedLine, askOf, endOf, type ImportTarget, type LineDeps, type PutEnd, putLine } from './put-line.ts';
import { leaveOutDoubted } from './unread-corrections.ts';

type PutDeps = LineDeps & { queues: Queues };

/** `lines`: the batch, with refused lines turned invalid. The numbers are as in `Imported`. */
type PutLines = { lines: Line[]; requestedBefore: number; revived: number; replaced: number };

/**
 * Imports a batch of lines. A line is refused if it differs from what was sent, or if it is unclear which row it corrects.
 * Lines of one buyer are imported one after the other, in file order.
 */
export async function putLines(target: ImportTarget, batch: Line[], deps: PutDeps): Promise<PutLines> {
  const { run } = target;
  // First, faults are written for lines without a row, and removed for lines that get one. So no line is ever counted twice.
  const found = new Map(batch.map((line) => [line.line, noteOf(line)]));
  await deps.retryUntilAnswered('note lines', () => run.noteLines(found));
  const lines = batch.filter((line) => line.kind === 'row');
  const together = await putTogether(target, plainLines(target, lines).map(newRowOf), deps);
  const others = together.size === lines.length ? [] : lines.filter((line) => !together.has(line.row.key));
  const ends = await putOthers(target, others, deps);
  const [refused, endedJobs] = [new Map<number, NotedLine>(), [] as RowId[]];
  let replaced = 0;
  for (const { line, is, row, replaced: given } of ends.values()) {
    target.asWritten(line);
    if (line.kind !== 'row') refused.set(line.line, noteOf(line));
    if (is === 'renewed') endedJobs.push(row);
    if (!given) continue;
    endedJobs.push(given.row);
    replaced += 1;
  }
  const put = batch.map((line) => ends.get(line)?.line ?? line);
  // Only now is it known which rows the valid lines of the batch have.
  const doubted = await leaveOutDoubted(target, put, deps);
  for (const line of doubted.lines) refused.set(line.line, noteOf(line));
  endedJobs.push(...doubted.left.map(({ row }) => row));
  await deps.retryUntilAnswered('note lines', () => run.noteLines(refused));
  await deps.queues.forget(endedJobs);
  const requestedBefore = [...ends.values()].filter(({ isBefore }) => isBefore).length;
  const revived = [...ends.values()].filter(({ isRevived }) => isRevived).length;
  return { lines: put, requestedBefore, revived, replaced };
}

/**
 * The lines that need no look-up before they are put, which are most lines of a first import: of a new buyer with one line in
 * the batch, without documents, and not corrections. If the ledger knows their request all the same, it does not put them.
 */
function plainLines({ mendedRow, earlierProblem }: ImportTarget, lines: readonly RowLine[]): RowLine[] {
  const ofBuyer = new Map<string, number>();
  for (const { row } of lines) ofBuyer.set(row.buyer, (ofBuyer.get(row.buyer) ?? 0) + 1);
  return lines.filter(
    ({ row, told, cells }) =>
      told === undefined &&
      ofBuyer.get(row.buyer) === 1 &&
      row.documents.length === 0 &&
      mendedRow(cells) === '' &&
      earlierProblem(cells) === '',
  );
}

function newRowOf({ line, row }: RowLine): NewRow {
  return { key: row.key, line, request: rowRequest(row, []), seen: 0, statements: row.statements };
}

/** Puts new rows, as far as the ledger finds no conflict. Answers the keys of the rows that were put. */
async function putTogether(
  { portfolio, run, approval }: ImportTarget,
  rows: NewRow[],
  deps: LineDeps,
): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const { number, generation } = run;
  const put = () => deps.rows.putNew({ portfolio, number, generation, approval: approval.id() }, rows);
  const arePut = await deps.retryUntilAnswered('put', put);
  return new Set(rows.filter((_row, place) => arePut[place]).map(({ key }) => key));
}

/** Puts lines after reading their buyers' known requests, in rounds of one line for each buyer. */
async function putOthers(target: ImportTarget, lines: readonly RowLine[], deps: LineDeps): Promise<Map<Line, PutEnd>> {
  const ends = new Map<Line, PutEnd>();
  if (lines.length === 0) return ends;
  const known = await deps.retryUntilAnswered('buyers', () => requestsFor(lines, target.portfolio, deps.rows));
  for (let left = lines; left.length > 0; left = left.filter((line) => !ends.has(line))) {
    const round = firstOfBuyers(left);
    const endsOfRound = await putRound(target, round, known, deps);
    for (const [place, line] of round.entries()) ends.set(line, endsOfRound[place] as PutEnd);
  }
  return ends;
}

function firstOfBuyers(lines: readonly RowLine[]): RowLine[] {
  const seen = new Set<string>();
  return lines.filter(({ row }) => !seen.has(row.buyer) && seen.add(row.buyer));
}

/** Puts lines of different buyers: new rows in one script, the others one by one. */
async function putRound(
  target: ImportTarget,
  lines: readonly RowLine[],
  known: Map<string, BuyerRows>,
  deps: LineDeps,
): Promise<PutEnd[]> {
  const asked = await Promise.all(lines.map((line) => askOf(target, line, known, deps)));
  const rows = asked.filter(isNew).map(({ row, line, request, statements, ofBuyer }): NewRow => {
    return { key: row.key, line: line.line, request, seen: ofBuyer.count, statements };
  });
  const put = await putTogether(target, rows, deps);
  return Promise.all(
    asked.map((one) => (put.has(one.row.key) ? endOf(target, one, 'added', known) : putLine(target, one, known, deps))),
  );
}

/** Whether the line leads to a new row, as far as is known before the ledger is asked. */
function isNew({ row, ofBuyer, decision }: AskedLine): boolean {
  const isThere = ofBuyer.rows.some((one) => one.row.key === row.key && one.row.portfolio === row.portfolio);
  return 'replaces' in decision && decision.replaces === undefined && !isThere;
}

/**
 * A line as the ledger notes it: the key of its request and, if the line is faulty, its fault, name and amount. An invalid line also has
 * its buyer.
 */
function noteOf(line: Line): NotedLine {
  const [key, fault] = [requestOf(line), faultOf(line)];
  if (line.kind === 'row') return { key, fault };
  const { name, requested } = line;
  const told = { key, name: name?.slice(0, NAME_LENGTH), fault };
  if (line.kind === 'duplicate') return { ...told, amount: requested };
  return { ...told, buyer: line.buyer, amount: requested ?? line.unsummed };
}

function faultOf(line: Line): FaultyLine | null {
  if (line.kind === 'row') return null;
  const message = line.problems
    .map(({ column, message }) => (column === null ? message : `${column}: ${message}`))
    .join('; ');
  const isLong = message.length > MAX_MESSAGE_LENGTH;
  return { kind: line.kind, message: isLong ? `${message.slice(0, MAX_MESSAGE_LENGTH - 1)}…` : message };
}

/**
 * The most characters of a faulty line's message in the ledger: twice the text of a line with all known columns wrong. Uncut, a line of
 * thousands of wrong cells would fill Redis.
 */
const MAX_MESSAGE_LENGTH = 8_000;

/** The most characters of a faulty line's name in the ledger. People look for the line by its name. */
const NAME_LENGTH = 200;
