import { counted, grouped } from '../../counted.ts';
import type { Document } from '../../documents/document.ts';
import type { DocumentFolder } from '../../documents/folder.ts';
import { withoutApostrophe } from '../../table/formulas.ts';
import type { RawRecord } from '../../table/records.ts';
import type { Column, KnownColumn } from '../columns/columns.ts';
import type { Decision, Finding } from '../identity/buyer.ts';
import type { BuyerBook } from '../identity/buyer-book.ts';
import type { KnownLook } from '../results/known-buyer.ts';
import { type AdviceDates, adviceFor } from './advice.ts';
import { makeRequestLines } from './duplicates.ts';
import { buyerLineOf, faultyKeyOf, makeRow } from './make-row.ts';
import { makePlausibility } from './plausibility.ts';
import { makeProblem, WHOLE_FILE } from './problem.ts';
import type { ReadCells, Values } from './read-cells.ts';
import type { Line, Problem } from './row.ts';

/** A line on its way: read, but not yet told from its duplicates. */
export type Draft = ReadCells & { record: RawRecord; documents: Document[]; decision?: Decision | undefined };

/** Opening more files at once gains nothing, since Node reads them with four threads. */
const LOOKS_AT_ONCE = 8;

/**
 * Looks up the documents that the drafts name and adds them, or what is wrong with them.
 *
 * @throws LimitlineError `FILE` when the disk itself fails.
 */
export async function addDocuments(drafts: Draft[], columns: Column[], folder?: DocumentFolder): Promise<void> {
  const column = columns.find((one) => one.known === 'supporting_documents')?.written ?? null;
  // One iterator, shared: each of the eight takes the next draft that none has taken.
  const waiting = drafts.filter((draft) => draft.values.supporting_documents).values();
  async function takeDrafts(): Promise<void> {
    for (const { record, values, problems, documents } of waiting) {
      for (const name of documentNames(values.supporting_documents ?? '')) {
        // A results file of ours keeps such a name from being run as a formula.
        const found = folder ? await folder.find(name, withoutApostrophe(name)) : NO_FOLDER;
        if (typeof found === 'string') problems.push(makeProblem(record.line, column, name, found));
        else documents.push(found);
      }
    }
  }
  await Promise.all(Array.from({ length: LOOKS_AT_ONCE }, takeDrafts));
}

/** By whom lines are told their buyers, and what a person says of them: that it is that buyer, and which row is mended. */
export type Telling = {
  book: BuyerBook;
  sameBuyer?: readonly number[] | undefined;
  mendedRow: (cells: readonly string[]) => string;
  /** In a results file: what it knows of buyers. */
  known?: KnownLook | undefined;
};

/**
 * Tells the drafts their buyers, once all else that may be wrong with them is known: only sound lines bring a buyer in.
 * Where it cannot be told, that is a problem of the line.
 */
export async function tellBuyers(drafts: Draft[], { book, sameBuyer = [], mendedRow, known }: Telling): Promise<void> {
  const asked = drafts.flatMap((draft) => {
    const { record, values, problems } = draft;
    if (sameBuyer.includes(record.line)) values.same_buyer = 'yes';
    const told = { line: record.line, isSound: problems.length === 0, mends: mendedRow(record.cells) };
    const line = buyerLineOf(values, told);
    if (!line) return [];
    if (known) {
      const buyer = known(line, record.cells);
      if (buyer === undefined) problems.push(makeProblem(record.line, null, null, NOT_ITS_CELLS));
      if (buyer) line.known = buyer;
      // Of a line without a row, or with other cells than its row's, nobody says whom it means.
      else line.isSound = false;
    }
    return [{ draft, line }];
  });
  const decisions = await book.tell(asked.map(({ line }) => line));
  for (const [place, { draft }] of asked.entries()) draft.decision = decisions[place];
}

/** Says what becomes of each line. Lines must come in the order of the file, and be told their buyers. */
export type Settler = {
  line(draft: Draft): Line;
  /** What is said once at the end, and not on every line. */
  fileWarnings(): Problem[];
};

export function makeSettler({ columns, dates }: { columns: Column[]; dates: AdviceDates }): Settler {
  const requestLines = makeRequestLines();
  const plausibility = makePlausibility({ columns });
  const written = (known: KnownColumn) => columns.find((column) => column.known === known)?.written ?? known;
  let lines = 0;
  let rows = 0;
  let bareRows = 0;

  const found = (line: number, { at, value, message }: Finding) =>
    makeProblem(line, written(COLUMN_OF[at]), value, message);

  function advise({ record, values }: Draft, hasDocuments: boolean): Problem[] {
    const advice = adviceFor(values, hasDocuments, dates);
    if (!advice) return [];
    const index = columns.find((column) => column.known === advice.column)?.index ?? -1;
    const value = record.cells[index]?.trim() || (values[advice.column] ?? null);
    return [makeProblem(record.line, written(advice.column), value, advice.message)];
  }

  return {
    line(draft) {
      const { record, values, problems, changed, broken, documents, decision } = draft;
      const { line, cells } = record;
      const numbers = record.sheet?.numbers;
      lines += 1;
      const buyer = keyOf(decision);
      // What else is wrong comes first: the buyer is told by what is read of the line.
      if (decision?.is === 'unclear' && problems.length === 0) problems.push(found(line, decision.problem));
      // What was not UTF-8 becomes U+FFFD: the results file must be.
      if (problems.length > 0) {
        const wellFormed = cells.map((one) => one.toWellFormed());
        // Of whom it speaks nobody knows, so it counts as nobody's row.
        const key = decision?.is === 'unclear' ? '' : faultyKeyOf(values, buyer);
        const told = { line, cells: wellFormed, numbers, changed, key, problems };
        return {
          kind: 'invalid',
          ...told,
          ...(buyer === undefined ? {} : { buyer }),
          ...(broken === null ? {} : { broken }),
        };
      }
      const row = makeRow(values, buyer ?? '');
      const told = toldBy(decision);
      row.documents = documents;
      const of = requestLines.earlier(row.key, line);
      if (of !== null) {
        const problems = [duplicateProblem(line, of, values)];
        return { kind: 'duplicate', line, cells, numbers, changed, of, key: row.key, problems, ...told };
      }
      rows += 1;
      if (documents.length === 0) bareRows += 1;
      const doubts = decision && decision.is !== 'unclear' ? decision.warnings.map((one) => found(line, one)) : [];
      const warnings = [...doubts, ...advise(draft, documents.length > 0), ...plausibility.ofLine(draft)];
      return { kind: 'row', line, cells, numbers, changed, row, warnings, ...told };
    },
    fileWarnings() {
      if (lines === 0) return [makeProblem(WHOLE_FILE, null, null, 'The file has a header and no line below it.')];
      const strange = plausibility.ofFile();
      if (bareRows === 0) return strange;
      const message = `${grouped(bareRows)} of ${counted(rows, 'request')} ${bareRows === 1 ? 'names' : 'name'} no document: audited financial statements are recommended for every limit, to speed its assessment.`;
      return [...strange, makeProblem(WHOLE_FILE, written('supporting_documents'), null, message)];
    },
  };
}

/** The column in which a person looks for what tells a buyer. */
const COLUMN_OF = {
  reference: 'buyer_reference',
  information: 'business_information_id',
  registration: 'company_registration_number',
  name: 'name',
  city: 'city',
  street: 'street',
} as const satisfies Record<Finding['at'], KnownColumn>;

function keyOf(decision: Decision | undefined): string | undefined {
  if (decision?.is === 'new') return decision.key;
  return decision?.is === 'known' ? decision.buyer.key : undefined;
}

/** By what the line was told, where its buyer was known before it. */
function toldBy(decision: Decision | undefined): Pick<Line, 'told'> {
  if (decision?.is !== 'known') return {};
  const { by, buyer } = decision;
  return {
    told: { key: buyer.key, by: by.kind, written: by.written, name: buyer.names[0]?.written ?? null, of: buyer.first },
  };
}

const NOT_ITS_CELLS = 'These are not the cells of its row any more.';

const NO_FOLDER = 'There is no folder to look for documents in: name it with --documents DIR.';

function documentNames(cell: string): string[] {
  const names = cell.split('|').map((name) => name.trim());
  return [...new Set(names)].filter((name) => name !== '');
}

function duplicateProblem(line: number, of: number, values: Values): Problem {
  const message = values.request_reference
    ? `Line ${of} has the same request_reference already, and a request is made once: give this line another one.`
    : `Line ${of} asks for the same limit for the same buyer already: give this line a request_reference if it is meant twice.`;
  return makeProblem(line, null, values.request_reference ?? values.requested_limit ?? null, message);
}
