import type { FaultyLine, NotedLine } from '../../src/ledger/portfolios/faulty-lines.ts';
import type { BuyerRows } from '../../src/ledger/rows/buyer-rows.ts';
import type { NewRow } from '../../src/ledger/rows/put-rows.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import { type Line, requestOf } from '../../src/portfolio/lines/row.ts';
import type { Problem } from '../../src/portfolio/problem.ts';
import type { Queues } from '../../src/queue/queues.ts';
import { type RowLine, requestsFor } from './decide-line.ts';
import {
  type AskedLine,
  askOf,
  endOf,
  type ImportTarget,
  type LineDeps,
  type PutEnd,
  putLine,
  statementsDateOf,
} from './put-line.ts';
import { rowRequest } from './row-request.ts';

type PutDeps = LineDeps & { queues: Queues };

/** The lines as the ledger took them, how many were requested before, and how many rows of earlier imports gave way to them. */
type PutLines = { lines: Line[]; requestedBefore: number; replaced: number };

/**
 * Brings a batch of lines in. One that asks for something else than what was sent is a problem, and so is one of which
 * nobody can tell which row it corrects. Lines of one buyer go one after the other, in their order.
 */
export async function putLines(target: ImportTarget, batch: Line[], deps: PutDeps): Promise<PutLines> {
  const { run } = target;
  // First what leads to no row, and what no longer does not: no line is counted twice at any moment.
  const found = new Map(batch.map((line) => [line.line, noteOf(line)]));
  await deps.retryUntilAnswered('note lines', () => run.noteLines(found));
  const lines = batch.filter((line) => line.kind === 'row');
  const put = await putTogether(target, plainLines(target, lines).map(newRowOf), deps);
  const others = put.size === lines.length ? [] : lines.filter((line) => !put.has(line.row.key));
  const ends = await putOthers(target, others, deps);
  const [refused, endedJobs] = [new Map<number, NotedLine>(), [] as RowId[]];
  let replaced = 0;
  for (const { line, is, row, replaced: given } of ends.values()) {
    if (line.kind !== 'row') refused.set(line.line, noteOf(line));
    if (is === 'renewed') endedJobs.push(row);
    if (!given) continue;
    endedJobs.push(given.row);
    replaced += 1;
  }
  await deps.retryUntilAnswered('note lines', () => run.noteLines(refused));
  await deps.queues.forget(endedJobs);
  const requestedBefore = [...ends.values()].filter(({ isBefore }) => isBefore).length;
  return { lines: batch.map((line) => ends.get(line)?.line ?? line), requestedBefore, replaced };
}

/**
 * Lines of which nothing has to be asked before, the most of a first import: each the only one here of a buyer of whom nobody had
 * heard before, without documents, and nobody's correction. What the ledger knows of their requests all the same, it says.
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
  return { key: row.key, line, request: rowRequest(row, []), seen: 0, statements: statementsDateOf(row) };
}

/** Brings in what is new, as far as the ledger finds nothing else of it. Answers the keys of the rows that came in. */
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

/** Brings in lines by what is known of their buyers' requests. */
async function putOthers(target: ImportTarget, lines: readonly RowLine[], deps: LineDeps): Promise<Map<Line, PutEnd>> {
  const ends = new Map<Line, PutEnd>();
  if (lines.length === 0) return ends;
  const known = await deps.retryUntilAnswered('buyers', () => requestsFor(lines, deps.rows));
  for (let left = lines; left.length > 0; left = left.filter((line) => !ends.has(line))) {
    const round = firstOfBuyers(left);
    const endsOfRound = await putRound(target, round, known, deps);
    for (const [place, line] of round.entries()) ends.set(line, endsOfRound[place] as PutEnd);
  }
  return ends;
}

/** Of each buyer the first of these lines. */
function firstOfBuyers(lines: readonly RowLine[]): RowLine[] {
  const seen = new Set<string>();
  return lines.filter(({ row }) => !seen.has(row.buyer) && seen.add(row.buyer));
}

/** Brings in lines of different buyers: together as far as they are new and no more than that, the others one by one. */
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
    asked.map((one) => (put.has(one.row.key) ? endOf(one, 'added', known) : putLine(target, one, known, deps))),
  );
}

/** As far as is known before the ledger is asked. */
function isNew({ row, ofBuyer, decision }: AskedLine): boolean {
  const isThere = ofBuyer.rows.some((one) => one.row.key === row.key && one.row.portfolio === row.portfolio);
  return 'replaces' in decision && decision.replaces === undefined && !isThere;
}

/** A line as the ledger notes it: the key of its request, of a faulty one its buyer, and what is wrong with it, if anything is. */
function noteOf(line: Line): NotedLine {
  return { key: requestOf(line), buyer: line.kind === 'invalid' ? line.buyer : undefined, fault: faultOf(line) };
}

function faultOf(line: Line): FaultyLine | null {
  if (line.kind === 'row') return null;
  const message = line.problems.map((problem) => describe(problem)).join('; ');
  const isLong = message.length > MAX_MESSAGE_LENGTH;
  return { kind: line.kind, message: isLong ? `${message.slice(0, MAX_MESSAGE_LENGTH - 1)}…` : message };
}

/** Twice what a line of our columns, all of them wrong, has to say; a line of thousands of wrong cells would drown Redis. */
const MAX_MESSAGE_LENGTH = 8_000;

/** One problem in a report's cell: the column, then what is wrong. */
function describe({ column, message }: Problem): string {
  return column === null ? message : `${column}: ${message}`;
}
