import type { DocumentStore } from '../../src/documents/store.ts';
import type { BuyerRow, BuyerRows } from '../../src/ledger/buyer-rows.ts';
import type { NotedLine } from '../../src/ledger/faulty-lines.ts';
import type { ImportRun } from '../../src/ledger/imports.ts';
import type { Persist } from '../../src/ledger/persist.ts';
import type { PutAnswer, RowDocument, RowRequest } from '../../src/ledger/row.ts';
import type { RowId } from '../../src/ledger/row-id.ts';
import type { Rows } from '../../src/ledger/rows.ts';
import { asksStatements } from '../../src/portfolio/lines/advice.ts';
import type { Line, Row } from '../../src/portfolio/lines/row.ts';
import type { Queues } from '../../src/queue/queues.ts';
import { buyerRowsAfter, decideLine, type Place, type RowLine, warningOfOther } from './decide-line.ts';
import type { ImportApproval } from './import-approval.ts';
import { noteOf } from './line-note.ts';
import { changedProblem, otherBuyersLine, refusedLine } from './refused-line.ts';
import { mayTake, rowRequest } from './row-request.ts';

type PutDeps = { rows: Rows; queues: Queues; documents: DocumentStore; persist: Persist };

/** How the problem of a row begins that gave way to a corrected line. It is in results files, and read back from them. */
export const REPLACED_BY_LINE = 'replaced by line';

/** Where lines are brought in, and by which import of which file. */
export type Target = Place & { fileName: string; run: ImportRun; approval: ImportApproval };

/** The lines as the ledger took them, and how many rows of earlier imports gave way to them. */
type PutLines = { lines: Line[]; replaced: number };

/**
 * Brings a batch of lines in. One that asks for something else than what was sent is a problem, and so is one of which
 * nobody can tell which row it corrects. Lines of one buyer go one after the other, in their order.
 */
export async function putLines(target: Target, batch: Line[], deps: PutDeps): Promise<PutLines> {
  const { run } = target;
  // First what leads to no row, and what no longer does not: no line is counted twice at any moment.
  const found = new Map(batch.map((line) => [line.line, noteOf(line)]));
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
    if (end.line.kind !== 'row') refused.set(line.line, noteOf(end.line));
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
  const request = await toRequest(line.row, deps.documents);
  const { buyer, statementsDated } = line.row;
  // Of a million small requests nobody asks it.
  const statements = asksStatements(line.row.limit.requested_limit) ? statementsDated : undefined;
  // Redis is waited for; a file that cannot be gone through ends the import.
  const rows = { ofRow: (other: RowId) => deps.persist('read', () => deps.rows.ofRow(other)) };
  let takes: string | undefined;
  let ofDeclined: string | undefined;
  for (;;) {
    const ofBuyer = known.get(buyer) ?? NO_ROWS;
    const decision = await decideLine(target, line, { ofBuyer, rows });
    if ('problem' in decision) return { line: refusedLine(line, decision.problem), row, is: 'refused' };
    const { asking, replaces } = decision;
    const given = replaces && { key: replaces.row.key, problem: replacedBy(line.line, target) };
    const { number, generation } = target.run;
    const approval = ofDeclined ?? target.approval.id();
    const put = () =>
      deps.rows.put(row, line.line, number, request, generation, {
        seen: ofBuyer.count,
        takes,
        approval,
        statements,
        ...given,
      });
    const is = await deps.persist('put', put);
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
      const now = await deps.persist('buyers', () => deps.rows.ofBuyers([buyer]));
      known.set(buyer, now.get(buyer) ?? NO_ROWS);
      continue;
    }
    if (is === 'other') {
      const [other] = await deps.persist('read', () => deps.rows.read([row]));
      const known = other && { ...other.request, line: other.line };
      const cell = target.mendedRow(line.cells);
      if (known && !mayTake(request, known, { row, cell })) return { line: otherBuyersLine(line, known), row, is };
      takes = known?.buyer;
      continue;
    }
    if (is === 'changed') {
      const [sent] = await deps.persist('read', () => deps.rows.read([row]));
      return { line: refusedLine(line, changedProblem(line.line, request, sent?.request)), row, is };
    }
    // What is at its end, or was made before, is not asked for by this line.
    const besides = is === 'ended' ? undefined : warningOfOther(line, { asking, rows: ofBuyer.rows, replaces });
    if (besides) line.warnings.push(besides.warning);
    known.set(buyer, buyerRowsAfter(ofBuyer, asking, { is, replaces }));
    return { line, row, is, replaced: replaces };
  }
}

const NO_ROWS: BuyerRows = { count: 0, rows: [] };

function replacedBy(line: number, { fileName }: Target) {
  return { step: 'limit', message: `${REPLACED_BY_LINE} ${line} of ${fileName}` } as const;
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
