import { counted, grouped } from '../../counted.ts';
import type { DocumentFolder } from '../../documents/folder.ts';
import { normal } from '../../likeness.ts';
import type { Dialect } from '../../table/dialect.ts';
import { withoutTextMark } from '../../table/formulas.ts';
import type { RawRecord } from '../../table/records.ts';
import { type Column, placeOf } from '../columns/column.ts';
import type { Conventions, KnownColumn } from '../columns/known-columns.ts';
import { lettersAsNumber, makeDigestTable } from '../identity/digest.ts';
import { type BuyerFinding, type Decision, referenceOf } from '../identity/identity.ts';
import { makeProblem, type Problem, WHOLE_FILE } from '../problem.ts';
import { namesUnit } from '../values/amount-unit.ts';
import { TOO_MANY_DIGITS } from '../values/amounts.ts';
import type { AdviceDates, AdviseAbove } from './advice.ts';
import { adviceFor, advisedCurrency, statementsAmong, statementsText } from './advice.ts';
import { faultyKeyOf, makeRow } from './make-row.ts';
import type { CurrencyCheck } from './one-currency.ts';
import { makeAmountForms, makePlausibility } from './plausibility.ts';
import { type LineDraft, makeCellReader, type Values } from './read-cells.ts';
import type { Line, Row } from './row.ts';

type Judging = {
  columns: Column[];
  dates: AdviceDates;
  currencies: Pick<CurrencyCheck, 'currencyOf' | 'conflictAt'>;
  adviseAbove?: AdviseAbove | undefined;
  /** Whether this is a results file, whose lines come from several files. */
  results?: boolean | undefined;
};

/**
 * Decides what each line becomes: a row, an invalid line or a duplicate. Lines must come in file order, with their buyers already decided.
 */
export function makeLineClassifier(judging: Judging) {
  const { columns, dates, currencies, adviseAbove: above, results } = judging;
  const requests = makeFirstRequests();
  const plausibility = makePlausibility({ columns });
  const forms = makeAmountForms(columns);
  const written = (known: KnownColumn) => columns[placeOf(columns, known)]?.written ?? known;
  const referenceAt = placeOf(columns, 'request_reference');
  const amountColumns: ReadonlySet<string> = new Set([written('requested_limit'), written('currency')]);
  let lines = 0;
  let rows = 0;
  let bareRows = 0;

  const found = (line: number, { at, value, message }: BuyerFinding) =>
    makeProblem(line, written(COLUMN_OF[at]), value, message);

  function advise({ record, values }: LineDraft, documents: number, currency: string | undefined): Problem[] {
    const advice = adviceFor(values, { documents, currency, above }, dates);
    if (!advice) return [];
    const value = record.cells[placeOf(columns, advice.column)]?.trim() || (values[advice.column] ?? null);
    return [makeProblem(record.line, written(advice.column), value, advice.message)];
  }

  function whyUnsummed({ record: { cells }, problems, isStray }: LineDraft) {
    if (isStray) return undefined;
    if (currencies.conflictAt(cells) !== null) return 'foreign';
    return problems.some(({ message }) => message === TOO_MANY_DIGITS) ? 'long' : undefined;
  }

  /** The problem of a line whose request_reference an earlier line has for another buyer, or with another amount. */
  function clashOf(line: number, reference: string | undefined, first: ReturnType<typeof requests.meet>) {
    if (!first || reference === undefined || results || (first.isOfBuyer && first.hasAmount)) return undefined;
    const what = first.isOfBuyer ? 'with another amount' : 'for another buyer';
    const message = `Line ${first.line} already has this request_reference ${what}: give this line another one, or correct the line that is wrong.`;
    return {
      problem: makeProblem(line, written('request_reference'), reference, message),
      isOfOther: !first.isOfBuyer,
    };
  }

  return {
    classify(draft: LineDraft): Line {
      const { record, values, problems, changed, broken, documents, decision, currency: shown } = draft;
      const { line, cells } = record;
      const numbers = record.sheet?.numbers;
      lines += 1;
      const buyer = keyOf(decision);
      if (!results) forms.judge(draft);
      // Other problems come first, because an unclear buyer may only follow from them.
      if (decision?.is === 'unclear' && problems.length === 0) problems.push(found(line, decision.problem));
      const row = problems.length === 0 ? makeRow(values, buyer ?? '', draft.extras) : undefined;
      const first = row && requests.meet(line, row);
      const clash = clashOf(line, values.request_reference, first);
      if (clash) problems.push(clash.problem);
      // In an invalid line, bytes that could not be decoded become U+FFFD, since the results file must be UTF-8.
      if (!row || problems.length > 0) {
        const wellFormed = cells.map((one) => one.toWellFormed());
        // With an unclear buyer, the line cannot be matched to a row.
        const key = decision?.is === 'unclear' ? '' : faultyKeyOf(values, buyer);
        const isDoubtful = problems.some(
          ({ column }) => column !== null && (amountColumns.has(column) || namesUnit(column)),
        );
        const requested = isDoubtful ? undefined : values.requested_limit;
        const unsummed = requested === undefined ? whyUnsummed(draft) : undefined;
        const read = { line, cells: wellFormed, numbers, changed, isCut: record.isUnended };
        const told = { ...read, key, problems, name: values.name, buyer, requested };
        const isNamed = clash?.isOfOther === false ? undefined : !clash && values.request_reference !== undefined;
        return { kind: 'invalid', ...told, unsummed, isNamed, currency: shown, ...(broken === null ? {} : { broken }) };
      }
      const told = toldBy(decision);
      row.documents = documents;
      const reference = values.request_reference ?? '';
      if (reference !== '') row.reference = reference;
      if (numbers?.includes(referenceAt) && WHOLE.test(reference))
        row.formerKey = referenceOf(`${reference}.0`).request;
      const former = cells[referenceAt]?.trim().replace(/^'(?==)/, '') ?? '';
      const wasFormula = former.startsWith('="') && former !== reference;
      if (wasFormula || former === '\\N') row.formerKey = referenceOf(normal(former)).request;
      const currency = advisedCurrency(currencies.currencyOf(cells), above);
      const statements = statementsText(row.limit.requested_limit, values.statements_dated, currency, above);
      if (statements !== undefined) row.statements = statements;
      if (first) {
        const of = first.line;
        const problems = [duplicateProblem(line, of, values)];
        const { name, requested_limit: requested } = values;
        return {
          kind: 'duplicate',
          line,
          cells,
          numbers,
          currency: shown,
          changed,
          of,
          key: row.key,
          name,
          buyer,
          requested,
          problems,
          ...told,
        };
      }
      rows += 1;
      if (documents.length === 0) bareRows += 1;
      const doubts = decision && decision.is !== 'unclear' ? decision.warnings.map((one) => found(line, one)) : [];
      const warnings = [
        ...doubts,
        ...(draft.doubts ?? []),
        ...advise(draft, statementsAmong(documents), currency),
        ...plausibility.ofLine(draft),
      ];
      const alike = decision?.is === 'new' && doubts.length > 0 ? ({ isAlike: true } as const) : {};
      return { kind: 'row', line, cells, numbers, currency: shown, changed, row, warnings, ...told, ...alike };
    },
    /** Warnings that are given once at the end, and not for every line. @param readBytes the size of a text file */
    fileWarnings(readBytes?: number): Problem[] {
      if (lines === 0) return [makeProblem(WHOLE_FILE, null, null, 'The file has a header and no line below it.')];
      const strange = [...plausibility.ofFile(), ...forms.fileWarnings(readBytes)];
      if (bareRows === 0) return strange;
      const message = `${grouped(bareRows)} of ${counted(rows, 'good line')} ${bareRows === 1 ? 'names' : 'name'} no document: audited financial statements are recommended for every limit, to speed up its assessment.`;
      return [...strange, makeProblem(WHOLE_FILE, written('supporting_documents'), null, message)];
    },
  };
}

/** Checks a line alone: its cells and documents, but nothing that depends on other lines, such as duplicates. */
export type JudgeAlone = (record: RawRecord) => Promise<Line>;

type JudgeAloneOptions = Judging & {
  dialect: Dialect;
  constants: Values | undefined;
  /** How the file writes amounts and dates; looked at for each line anew. A convention that is still open is a problem of the line. */
  conventions: Readonly<Conventions>;
  documents?: DocumentFolder | undefined;
};

/** Makes the check for a line that a person corrects. It is the same as when the file is read. */
export function makeJudgeAlone({ documents, ...reading }: JudgeAloneOptions): JudgeAlone {
  let readCells: ReturnType<typeof makeCellReader> | undefined;
  return async (record) => {
    readCells ??= makeCellReader({ ...reading, today: reading.dates.today });
    const draft: LineDraft = { record, ...readCells(record), documents: [] };
    await addDocuments([draft], reading.columns, documents);
    return makeLineClassifier(reading).classify(draft);
  };
}

/**
 * Finds the documents that the drafts name and adds them, or a problem for each that is missing or unusable.
 *
 * @throws LimitlineError `FILE` when the disk fails.
 */
export async function addDocuments(drafts: LineDraft[], columns: Column[], folder?: DocumentFolder): Promise<void> {
  const column = columns[placeOf(columns, 'supporting_documents')]?.written ?? null;
  // The eight workers share one iterator, so that each draft is taken once.
  const waiting = drafts.filter((draft) => draft.values.supporting_documents).values();
  async function takeDrafts(): Promise<void> {
    for (const { record, values, problems, documents } of waiting) {
      const { document_purpose: purpose } = values;
      for (const name of documentNames(values.supporting_documents ?? '')) {
        // Results files of Limitline put an apostrophe before such a name, so that no spreadsheet runs it as a formula.
        const found = folder ? await folder.find(name, withoutTextMark(name)) : NO_FOLDER;
        if (typeof found === 'string') problems.push(makeProblem(record.line, column, name, found));
        else documents.push(purpose === undefined || purpose === STATEMENTS ? found : { ...found, purpose });
      }
    }
  }
  await Promise.all(Array.from({ length: LOOKS_AT_ONCE }, takeDrafts));
}

/** The purpose that is sent where the line names none (docs/service.md, "Document"). */
const STATEMENTS = 'financial_statement';

/** The column in which a person looks for each kind of finding. */
const COLUMN_OF = {
  reference: 'buyer_reference',
  information: 'business_information_id',
  registration: 'company_registration_number',
  name: 'name',
  city: 'city',
  street: 'street',
  company: 'company_id',
} as const satisfies Record<BuyerFinding['at'], KnownColumn>;

function keyOf(decision: Decision | undefined): string | undefined {
  if (decision?.is === 'new') return decision.key;
  return decision?.is === 'known' ? decision.buyer.key : undefined;
}

/** For a known buyer: the identifier that matched, and the line that first brought the buyer. */
function toldBy(decision: Decision | undefined): Pick<Line, 'told'> {
  if (decision?.is !== 'known') return {};
  const { by, buyer } = decision;
  return {
    told: { key: buyer.key, by: by.kind, written: by.written, name: buyer.names[0]?.written ?? null, of: buyer.first },
  };
}

function duplicateProblem(line: number, of: number, values: Values): Problem {
  const message = values.request_reference
    ? `Line ${of} already has the same request_reference, so this line is left out. Give it another one only if a second limit is meant.`
    : `Line ${of} already asks for the same limit for the same buyer, so this line is left out. Give it a request_reference only if a second limit is meant.`;
  return makeProblem(line, null, values.request_reference ?? values.requested_limit ?? null, message);
}

/** Documents that are looked up at once. More would not be faster: Node reads files with four threads. */
const LOOKS_AT_ONCE = 8;

const NO_FOLDER = 'There is no folder to look for documents in: name it with --documents DIR.';

/** The names of documents in a cell, each once. */
export function documentNames(cell: string): string[] {
  const names = cell.split('|').map((name) => name.trim());
  return [...new Set(names)].filter((name) => name !== '');
}

const WHOLE = /^\d+$/;

/** The line that was the first to make a request, and whether it has the same buyer and amount as a later line. */
type FirstRequest = { line: number; isOfBuyer: boolean; hasAmount: boolean };

/**
 * The requests of a file, each with its first line, buyer and amount. A request takes some 38 bytes. Requests are told apart by 68 bits of
 * their keys, since a false match among a million of them would lose one. Their buyers are told apart by 30 bits only, since the buyers of two
 * lines are compared only where both lines have the same request_reference.
 */
function makeFirstRequests() {
  const numbers = makeDigestTable({ bits: 68 });
  const pieces: Piece[] = [];
  let count = 0;

  return {
    /** Answers the first line that made the row's request; undefined if this line is it. */
    meet(line: number, { key, buyer, limit }: Row): FirstRequest | undefined {
      const [of, amount] = [lettersAsNumber(buyer, 0, 5), Number(limit.requested_limit)];
      const number = numbers.addOnce(key, count) ?? count;
      const at = number % REQUESTS_A_PIECE;
      if (number === count && at === 0) pieces.push(emptyPiece());
      const piece = pieces[Math.floor(number / REQUESTS_A_PIECE)] as Piece;
      if (number < count) {
        return { line: piece.line[at] ?? 0, isOfBuyer: piece.buyer[at] === of, hasAmount: piece.amount[at] === amount };
      }
      [piece.line[at], piece.buyer[at], piece.amount[at]] = [line, of, amount];
      count += 1;
      return undefined;
    },
  };
}

/** A million requests need a few hundred pieces, and a small file takes little memory. */
const REQUESTS_A_PIECE = 4_096;

/** Amounts are exact: they have no more digits than a JSON number carries. */
type Piece = { line: Uint32Array; buyer: Uint32Array; amount: Float64Array };

function emptyPiece(): Piece {
  return {
    line: new Uint32Array(REQUESTS_A_PIECE),
    buyer: new Uint32Array(REQUESTS_A_PIECE),
    amount: new Float64Array(REQUESTS_A_PIECE),
  };
}
