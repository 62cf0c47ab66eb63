import type { BuyerRow, BuyerRows } from '../src/ledger/buyer-rows.ts';
import type { ImportRun, NotedLine } from '../src/ledger/imports.ts';
import type { Persist } from '../src/ledger/persist.ts';
import {
  type Asking,
  candidatesFor,
  type Decision,
  decideReplacement,
  describeRow,
  type OwnFile,
  otherRequest,
} from '../src/ledger/replacing.ts';
import { type RowId, rowName } from '../src/ledger/row-id.ts';
import type { PutAnswer, RowDocument, RowRequest, Rows } from '../src/ledger/rows.ts';
import type { DocumentStore } from '../src/portfolio/document-store.ts';
import { requestKey } from '../src/portfolio/identity.ts';
import { makeProblem } from '../src/portfolio/problem.ts';
import { ROW_COLUMN } from '../src/portfolio/result-columns.ts';
import type { Line, Problem, Row } from '../src/portfolio/row.ts';
import type { Queues } from '../src/queue/queues.ts';
import { decideMend } from './mend-rows.ts';
import { noted } from './noted-line.ts';
import { changedProblem, rowRequest } from './row-request.ts';

export type PutDeps = { rows: Rows; queues: Queues; documents: DocumentStore; persist: Persist };

/** Where lines are brought in, and what is known of their file. */
export type Target = {
  portfolio: string;
  fileName: string;
  run: ImportRun;
  /** The cell of a line that names the row which it mends; '' where there is none. */
  mendedRow: (cells: readonly string[]) => string;
  file: () => Promise<OwnFile>;
};

/** The lines as the ledger took them, and how many rows of earlier imports gave way to them. */
export type PutLines = { lines: Line[]; replaced: number };

type RowLine = Extract<Line, { kind: 'row' }>;

/**
 * Brings a batch of lines in. One that asks for something else than what was sent is a problem, and so is one of which
 * nobody can tell which row it corrects. Lines of one buyer go one after the other, in their order.
 */
export async function putLines(target: Target, batch: Line[], deps: PutDeps): Promise<PutLines> {
  const { run } = target;
  // First what leads to no row, and what no longer does not: no line is counted twice at any moment.
  const found = new Map(batch.map((line) => [line.line, noted(line)]));
  await deps.persist('note lines', () => run.noteLines(found));
  const buyers = new Set(batch.flatMap((line) => (line.kind === 'row' ? [line.row.buyer] : [])));
  const known = await deps.persist('buyers', () => deps.rows.ofBuyers([...buyers]));
  const endedJobs: RowId[] = [];
  const refused = new Map<number, NotedLine>();
  let replaced = 0;
  const putOne = async (line: RowLine): Promise<Line> => {
    const end = await putLine(target, line, known, deps);
    if (end.is === 'renewed') endedJobs.push(end.row);
    if (end.replaced) {
      endedJobs.push(end.replaced.row);
      replaced += 1;
    }
    if (end.line.kind !== 'row') refused.set(line.line, noted(end.line));
    return end.line;
  };
  const before = new Map<string, Promise<unknown>>();
  const lines = await Promise.all(
    batch.map((line): Line | Promise<Line> => {
      if (line.kind !== 'row') return line;
      const earlier = before.get(line.row.buyer);
      const putting = earlier ? earlier.then(() => putOne(line)) : putOne(line);
      before.set(line.row.buyer, putting);
      return putting;
    }),
  );
  await deps.persist('note lines', () => run.noteLines(refused));
  await deps.queues.forget(endedJobs);
  return { lines, replaced };
}

type PutEnd = { line: Line; row: RowId; is: PutAnswer | 'refused'; replaced?: BuyerRow | undefined };

async function putLine(target: Target, line: RowLine, known: Map<string, BuyerRows>, deps: PutDeps): Promise<PutEnd> {
  const row = { portfolio: target.portfolio, key: line.row.key };
  const asking = askingOf(target, line);
  const request = await toRequest(line.row, deps.documents);
  for (;;) {
    const { count, rows } = known.get(line.row.buyer) ?? { count: 0, rows: [] };
    // Where not all of a buyer's requests are told, which of them a line corrects cannot be told either.
    const ofBuyer = count > rows.length ? [] : rows;
    const decision = await decide(target, { asking, line, ofBuyer }, deps);
    if ('problem' in decision) return { line: refusal(line, target, decision.problem), row, is: 'refused' };
    const { replaces } = decision;
    const replacing = {
      seen: count,
      ...(replaces && { key: replaces.row.key, problem: replacedBy(line.line, target) }),
    };
    const is = await deps.persist('put', () =>
      deps.rows.put(row, line.line, target.run.number, request, target.run.generation, replacing),
    );
    if (is === 'again') {
      const [now] = await deps.persist('buyers', async () => [
        ...(await deps.rows.ofBuyers([line.row.buyer])).values(),
      ]);
      known.set(line.row.buyer, now ?? { count: 0, rows: [] });
      continue;
    }
    if (is === 'changed') {
      const [sent] = await deps.persist('read', () => deps.rows.read([row]));
      return { line: invalid(line, changedProblem(line.line, request, sent?.request)), row, is };
    }
    const other = otherRequest(asking, rows, replaces);
    if (other) line.warnings.push(otherWarning(line, other));
    known.set(line.row.buyer, { count, rows });
    remember(asking, is, { known, buyer: line.row.buyer, replaces });
    return { line, row, is, replaced: replaces };
  }
}

function askingOf({ portfolio, run }: Target, { line, row }: RowLine): Asking {
  const amount = row.limit.requested_limit;
  const isNamed = row.key !== requestKey({ buyer: row.buyer, requestedLimit: amount });
  return { row: { portfolio, key: row.key }, line, importId: run.number, amount, isNamed };
}

type Deciding = { asking: Asking; line: RowLine; ofBuyer: BuyerRow[] };

async function decide(target: Target, { asking, line, ofBuyer }: Deciding, deps: PutDeps): Promise<Decision> {
  const cell = target.mendedRow(line.cells);
  if (cell !== '') return deps.persist('mend', () => decideMend(asking, cell, { rows: deps.rows, file: target.file }));
  const candidates = candidatesFor(asking, ofBuyer);
  return candidates.length === 0 ? { replaces: undefined } : decideReplacement(asking, candidates, await target.file());
}

/** What the lines of the same buyer behind this one have to know of it. */
function remember(
  { row, line, importId, amount }: Asking,
  is: PutAnswer,
  { known, buyer, replaces }: { known: Map<string, BuyerRows>; buyer: string; replaces: BuyerRow | undefined },
): void {
  const { count, rows } = known.get(buyer) ?? { count: 0, rows: [] };
  const isOwn = (one: BuyerRow) => rowName(one.row) === rowName(row);
  const own = rows.find(isOwn);
  const isNew = is === 'added' || (own === undefined && is === 'settled');
  const state = is === 'added' || is === 'renewed' ? 'queued' : (own?.state ?? 'skipped');
  const now: BuyerRow = { row, amount, line, importId, state, limit: own?.limit ?? 'free', replaced: undefined };
  const others = rows
    .filter((one) => !isOwn(one))
    .map((one) => {
      if (!replaces || one.row.key !== replaces.row.key || one.row.portfolio !== row.portfolio) return one;
      return { ...one, state: 'cancelled' as const, replaced: { importId, key: row.key } };
    });
  known.set(buyer, { count: isNew ? count + 1 : count, rows: [...others, now] });
}

function refusal(line: RowLine, { mendedRow }: Target, message: string): Line {
  const cell = mendedRow(line.cells);
  return invalid(line, makeProblem(line.line, cell === '' ? null : ROW_COLUMN, cell, message));
}

function invalid(line: RowLine, problem: Problem): Line {
  return { ...line, kind: 'invalid', key: line.row.key, problems: [problem] };
}

function replacedBy(line: number, { fileName }: Target) {
  return { step: 'limit', message: `replaced by line ${line} of ${fileName}` } as const;
}

function otherWarning({ line, row }: RowLine, other: BuyerRow): Problem {
  const message = `The same buyer has another request, ${describeRow(other)}: this limit is asked for besides.`;
  return makeProblem(line, 'requested_limit', row.limit.requested_limit, message);
}

/** A line's row as the ledger keeps it; its documents are copied into the data folder on the way. */
async function toRequest(row: Row, store: DocumentStore): Promise<RowRequest> {
  const documents: RowDocument[] = [];
  for (const document of row.documents) {
    const { name, mediaType, sizeBytes } = document;
    documents.push({ name, mediaType, sizeBytes, sha256: await store.put(document) });
  }
  return rowRequest(row, documents);
}
