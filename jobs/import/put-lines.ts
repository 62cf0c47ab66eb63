import type { BuyerRows } from '../../src/ledger/buyer-rows.ts';
import type { NotedLine } from '../../src/ledger/faulty-lines.ts';
import type { NewRow } from '../../src/ledger/put-new-rows.ts';
import type { RowId } from '../../src/ledger/row-id.ts';
import type { Line } from '../../src/portfolio/lines/row.ts';
import type { Queues } from '../../src/queue/queues.ts';
import type { RowLine } from './decide-line.ts';
import { noteOf } from './line-note.ts';
import { type AskedLine, askOf, endOf, type LineDeps, type PutEnd, putLine, type Target } from './put-line.ts';

type PutDeps = LineDeps & { queues: Queues };

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
  let left = batch.filter((line) => line.kind === 'row');
  const known = await readKnown(toldBuyers(left), deps);
  const ends = new Map<Line, PutEnd>();
  while (left.length > 0) {
    const round = firstOfBuyers(left);
    const endsOfRound = await putRound(target, round, known, deps);
    for (const [place, line] of round.entries()) ends.set(line, endsOfRound[place] as PutEnd);
    left = round.length === left.length ? [] : left.filter((line) => !ends.has(line));
  }
  const [refused, endedJobs] = [new Map<number, NotedLine>(), [] as RowId[]];
  let replaced = 0;
  for (const { line, is, row, replaced: given } of ends.values()) {
    if (line.kind !== 'row') refused.set(line.line, noteOf(line));
    if (is === 'renewed') endedJobs.push(row);
    if (!given) continue;
    endedJobs.push(given.row);
    replaced += 1;
  }
  await deps.persist('note lines', () => run.noteLines(refused));
  await deps.queues.forget(endedJobs);
  return { lines: batch.map((line) => ends.get(line)?.line ?? line), replaced };
}

/**
 * The buyers of whom somebody had heard before these lines. Of the others nobody has asked anything, as a rule, and the ledger says
 * so where it is not so (`seen`).
 */
function toldBuyers(lines: readonly RowLine[]): string[] {
  const brought = new Set<string>();
  const told = new Set<string>();
  for (const { row, told: by } of lines) {
    if (by === undefined) brought.add(row.buyer);
    else if (!brought.has(row.buyer)) told.add(row.buyer);
  }
  return [...told];
}

async function readKnown(buyers: readonly string[], { rows, persist }: LineDeps): Promise<Map<string, BuyerRows>> {
  return buyers.length === 0 ? new Map() : persist('buyers', () => rows.ofBuyers(buyers));
}

/** Of each buyer the first of these lines. */
function firstOfBuyers(lines: readonly RowLine[]): RowLine[] {
  const seen = new Set<string>();
  return lines.filter(({ row }) => !seen.has(row.buyer) && seen.add(row.buyer));
}

/** Brings in lines of different buyers: together as far as they are new and no more than that, the others one by one. */
async function putRound(
  target: Target,
  lines: readonly RowLine[],
  known: Map<string, BuyerRows>,
  deps: PutDeps,
): Promise<PutEnd[]> {
  const asked = await Promise.all(lines.map((line) => askOf(target, line, known, deps)));
  const fresh = asked.filter(isNew);
  const { portfolio, run, approval } = target;
  const rows = fresh.map(newRowOf);
  const of = { portfolio, number: run.number, generation: run.generation };
  const put = () => deps.rows.putNew({ ...of, approval: approval.id() }, rows);
  const arePut = rows.length > 0 ? await deps.persist('put', put) : [];
  const added = new Set(fresh.filter((_one, place) => arePut[place]));
  const others = asked.filter((one) => !added.has(one));
  // Theirs is more than a new request of a new buyer.
  const unread = others.map(({ line }) => line.row.buyer).filter((buyer) => !known.has(buyer));
  for (const [buyer, its] of await readKnown(unread, deps)) known.set(buyer, its);
  return Promise.all(
    asked.map(async (one) => {
      if (added.has(one)) return endOf(one, 'added', known);
      const isReread = unread.includes(one.line.row.buyer);
      return putLine(target, isReread ? await askOf(target, one.line, known, deps) : one, known, deps);
    }),
  );
}

/** As far as is known before the ledger is asked. */
function isNew({ row, ofBuyer, decision }: AskedLine): boolean {
  return (
    'replaces' in decision &&
    decision.replaces === undefined &&
    !ofBuyer.rows.some((one) => one.row.key === row.key && one.row.portfolio === row.portfolio)
  );
}

function newRowOf({ row, line, request, statements, ofBuyer }: AskedLine): NewRow {
  return { key: row.key, line: line.line, request, seen: ofBuyer.count, statements };
}
