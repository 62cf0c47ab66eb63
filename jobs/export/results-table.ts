import { contentDigest } from '../../src/ledger/calls/claim-answers.ts';
import { withoutExponent } from '../../src/ledger/counts/amounts.ts';
import { outcomeOfRow, type RowOutcome, stateWords } from '../../src/ledger/counts/row-outcome.ts';
import { answeredOtherwise, askedOf, is, type RowRequest, type RowResult } from '../../src/ledger/schema/row.ts';
import { rowName } from '../../src/ledger/schema/schema.ts';
import { placeOf } from '../../src/portfolio/columns/column.ts';
import { type ExtraField, headerOfExtra } from '../../src/portfolio/columns/extra-fields.ts';
import { KNOWN_COLUMNS, type KnownColumn, NEEDED } from '../../src/portfolio/columns/known-columns.ts';
import {
  ERROR_COLUMNS,
  earlierProblemOf,
  errorColumnsOf,
  LINE_COLUMN,
  lineOfFileText,
  mendedRowOf,
  RESULT_COLUMNS,
  SESSION_COLUMN,
  shortDigest,
} from '../../src/portfolio/columns/result-columns.ts';
import { digestOfCells, recordedBuyerText } from '../../src/portfolio/identity/recorded-buyer.ts';
import { zerosOfLine } from '../../src/portfolio/lines/lost-zeros.ts';
import type { Line } from '../../src/portfolio/lines/row.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import { visible } from '../../src/portfolio/problem.ts';
import {
  errorColumns,
  makeSheetValues,
  mergeColumns,
  type OwnColumns,
  resultColumnsOf,
  type SheetValues,
} from '../../src/portfolio/results/line-rewriter.ts';
import type { Meanings } from '../../src/status-meaning.ts';
import { importName } from '../rows/import-names.ts';
import { cellsByName, type ExportedLine, type ImportFile, LEDGER_COLUMNS } from './export-lines.ts';

/**
 * All lines with all their own columns, and what became of each. If files have different headers, known columns are written under our
 * names, and values that only a file's own options explain are normalised. Otherwise neither a person nor `recover` could read them.
 */
export function resultsTable(files: Files, options: TableOptions): ExportTable {
  const { account, meanings, inSheet, isHeldOnly, outcome, extras, hasLinks } = options;
  let values: Pick<SheetValues, 'cells'> | undefined;
  const areAlike = haveOneHeader(files);
  const own = makePlacedCells(files, extras, (opened) =>
    areAlike ? resultColumnsOf(opened.header) : errorColumns(opened, areAlike),
  );
  const toFillIn = isHeldOnly ? ['id'] : outcome ? ['decided_at'] : [];
  const cellsDigest = digestOfCells(areAlike ? knownColumns(files, own.header) : own.header.map(knownNamed));
  return {
    header: [...own.header, ...RESULT_COLUMNS, ...(hasLinks ? [SESSION_COLUMN] : []), ...toFillIn],
    isPlain: areAlike && !inSheet,
    begin(_file, begun) {
      values = inSheet ? makeSheetValues(begun) : areAlike ? undefined : begun.rewriter;
    },
    *write(exported) {
      const { file, line, found } = exported;
      if (isHeldOnly && stateOf(exported) !== 'held') return;
      if (outcome && (!found || found.result.replaced || outcomeOfRow(found.result, meanings) !== outcome)) return;
      const read = line?.kind === 'plain' ? line.cells : line && (values?.cells(line) ?? line.cells);
      const written = own.cells(file, read, found?.result.request);
      const known = found ? knownText(exported, found.result, cellsDigest(written)) : '';
      const link = hasLinks ? [exported.link ?? ''] : [];
      yield [...written, ...outcomeCells(exported, { account, meanings }), known, ...link, ...toFillIn.map(() => '')];
    },
  };
}

/**
 * Lines to correct: their own cells, the problem, and the row that each line corrects. A line that could not be split into
 * cells gets empty ones, since wrong cells might look right and be requested uncorrected. Limitline's columns replace those of an
 * earlier errors file. Held rows need `resolve` and are only counted, by `onHeld`. With a cause, only rows that failed for it.
 */
export function errorsTable(
  files: Files,
  options: TableOptions & { onHeld: () => void; cause?: string | undefined },
): ExportTable {
  const { account, portfolio, inSheet, extras, onHeld, cause } = options;
  const headers = [...files.values()].map((opened) =>
    JSON.stringify(opened && resultColumnsOf(opened.rewriter.header).names),
  );
  const areAlike = new Set(headers).size === 1;
  const own = makePlacedCells(files, extras, (opened) => errorColumns(opened, areAlike));
  let opened: Opened | undefined;
  let values: SheetValues | undefined;
  return {
    header: [...own.header, ...ERROR_COLUMNS],
    isPlain: false,
    begin(_file, begun) {
      opened = begun;
      values = inSheet ? makeSheetValues(begun) : undefined;
    },
    *write(exported) {
      const { file, found } = exported;
      const line = exported.line?.kind === 'plain' ? undefined : exported.line;
      const [state, problem] = [stateOf(exported), problemIn(exported)];
      if (is('isGranted', state) && problem === '') return;
      if (found?.result.replaced && !exported.fault) return;
      if (cause !== undefined && found?.result.cause !== cause) return;
      if (state === 'held') return onHeld();
      const broken = line?.kind === 'invalid' ? line.broken : undefined;
      const read = line && opened ? opened.rewriter : undefined;
      const cells =
        line && read && (broken === undefined ? read.addCurrency((values ?? read).cells(line), line) : read.blank());
      yield [
        ...own.cells(file, cells, found?.result.request),
        mendedRow(exported, opened),
        lineText(exported, opened, broken),
        problemBefore(line, opened) ||
          withoutLine(problem) ||
          (found ? `It is ${stateWords(found.result.state)}.` : ''),
        account,
        lineOfFileText(
          { portfolio, file: shortDigest(file.known.id), line: exported.number },
          line && opened && broken === undefined ? zerosOfLine(opened.columns, line.cells) : [],
        ),
      ];
    },
  };
}

/** A problem whose remedy names no line by its number: in the errors file, that is the number of another line. */
function withoutLine(problem: string): string {
  return problem
    .replace(/say --same-buyer \d+ or (?=write "yes")/g, '')
    .replace(/say --same-buyer \d+/g, 'write "yes" in a column same_buyer');
}

/** A table to write: its header, and the records of each line. */
export type ExportTable = {
  header: string[];
  /** Whether the table needs only the cells of a line, and nothing of its row or its problem. */
  isPlain: boolean;
  /** Called for each file before its lines. */
  begin(file: ImportFile, opened: Opened): void;
  write(line: ExportedLine): Iterable<string[]>;
};

/** A portfolio's files, opened up to the header; nothing where a copy is gone. */
export type Files = ReadonlyMap<ImportFile, Opened | undefined>;

/** A row's problem as results show it, with the service's answer as it came. `recover` parses this text. */
function problemText({ problem, again, record }: RowResult): string {
  if (again) return `Made twice at the service: ${again.id} and ${again.again}; ask the service to withdraw one`;
  if (!problem) return answeredOtherwise(record);
  const said = problem.body && problem.sent === undefined ? `${problem.message}: ${problem.body}` : problem.message;
  return problem.sent ? `${said}; what was sent: ${problem.sent}` : said;
}

/**
 * `inSheet`: amounts and days are written as plain values, since a sheet has types. `isHeldOnly`: only held rows, with an
 * additional column in which a person answers. `outcome`: only such rows, with a column for the time of a decision. `extras`: the fields
 * sent by a path in rows whose file is gone.
 */
type TableOptions = {
  account: string;
  portfolio: string;
  meanings: Meanings;
  inSheet: boolean;
  isHeldOnly?: boolean;
  outcome?: RowOutcome | undefined;
  extras: readonly ExtraField[];
  /** Whether there is a column for links of hosted sessions. */
  hasLinks?: boolean | undefined;
};

/** The state of the line's row, or the line's own kind; '' where the import did not reach it. */
const stateOf = ({ found, fault }: ExportedLine): string => found?.result.state ?? fault?.kind ?? '';

/** The line's problem, then its row's problem; '' where there is none. */
function problemIn({ found, fault }: ExportedLine): string {
  if (!found && !fault) return 'Not imported: the import was interrupted. Import the file again.';
  return [fault?.message, found && problemText(found.result)].filter((problem) => problem).join('; ');
}

/**
 * Merges the columns of all files into one header, and puts each file's cells where they belong.
 *
 * @param columnsOf which columns of a file are written, and their names
 */
function makePlacedCells(files: Files, extras: readonly ExtraField[], columnsOf: (opened: Opened) => OwnColumns) {
  const known = { names: [...LEDGER_COLUMNS, ...extras.map(headerOfExtra)], places: [] };
  const columns = [...files.values()].map((opened) => (opened ? columnsOf(opened) : known));
  const { header, columnsOf: inTable } = mergeColumns(columns.map(({ names }) => names));
  const placed = new Map([...files.keys()].map((file, at) => [file, { own: columns[at], at: inTable[at] ?? [] }]));
  return {
    header,

    /** A line's cells in the table's order; cells from the ledger where the line cannot be read. */
    cells(file: ImportFile, cells: readonly string[] | undefined, request: RowRequest | undefined): string[] {
      if (!cells) return cellsByName(header, request);
      const written = header.map(() => '');
      const { own, at } = placed.get(file) ?? { own: undefined, at: [] };
      for (const [place, from] of (own?.places ?? []).entries()) written[at[place] ?? -1] = cells[from] ?? '';
      return written;
    },
  };
}

/** The cells of {@link RESULT_COLUMNS}, in their order, except the last, which also tells of the cells of the line itself. */
function outcomeCells(
  exported: ExportedLine,
  { account, meanings }: Pick<TableOptions, 'account' | 'meanings'>,
): string[] {
  const { file, number, found } = exported;
  const result = found?.result;
  return [
    found ? rowName(found.row) : '',
    importName(file.known),
    String(number),
    stateOf(exported),
    result?.step ?? '',
    result?.companyId || (result?.request.companyId ?? ''),
    result?.documentIds.join('|') ?? '',
    result?.limitId ?? '',
    result?.record.status ?? '',
    withoutExponent(result?.record.total_limit ?? ''),
    withoutExponent(result?.record.available_limit ?? ''),
    [problemIn(exported), exported.madeFor].filter((words) => words).join('; '),
    result ? new Date(result.updatedMs).toISOString() : '',
    result ? outcomeOfRow(result, meanings) : '',
    account,
  ];
}

function haveOneHeader(files: Files): boolean {
  const headers = [...files.values()].map((opened) => {
    if (!opened) return '';
    const { names, places } = resultColumnsOf(opened.header);
    return JSON.stringify([names, places.map((place) => opened.columns[place]?.known)]);
  });
  return new Set(headers).size === 1;
}

function knownColumns(files: Files, header: readonly string[]): (KnownColumn | null)[] {
  const [opened] = files.values();
  if (!opened) return header.map(knownNamed);
  return resultColumnsOf(opened.header).places.map((place) => opened.columns[place]?.known ?? null);
}

const knownNamed = (name: string): KnownColumn | null => KNOWN_COLUMNS.find((known) => known === name) ?? null;

function knownText({ fault }: ExportedLine, { request }: RowResult, cells: string): string {
  const { buyer, limit } = request;
  const amount = limit.requested_limit;
  return recordedBuyerText({
    buyer,
    asked: contentDigest(askedOf(request)),
    cells,
    amount,
    isOwn: fault === undefined,
  });
}

/**
 * The row that a corrected line replaces. A sent row cannot be replaced. A line without a row keeps its cell `row` from an
 * earlier errors file.
 */
function mendedRow({ found, line }: ExportedLine, opened: Opened | undefined): string {
  if (!found) return line && opened ? mendedRowOf(opened.rewriter.header)(line.cells) : '';
  if (is('isGranted', found.result.state)) return '';
  return rowName(found.row);
}

/** Why a line of an earlier errors file is in it, if nobody has filled in its cells since: that they are empty is no reason. */
function problemBefore(line: Line | undefined, opened: Opened | undefined): string {
  if (!line || !opened?.header.includes(LINE_COLUMN)) return '';
  const isUnfilled = NEEDED.every((known) => !line.cells[placeOf(opened.columns, known)]?.trim());
  return isUnfilled ? earlierProblemOf(opened.header)(line.cells) : '';
}

/** What a broken line says, for a person to fill its cells from: its own text or, if all cells are empty, the earlier errors file's. */
function lineText({ line }: ExportedLine, opened: Opened | undefined, broken: string | undefined): string {
  const { header } = opened?.rewriter ?? { header: [] };
  const added = errorColumnsOf(header);
  const at = header.findLastIndex((name, column) => name === LINE_COLUMN && added.has(column));
  const earlier = line?.cells[at] ?? '';
  if (broken === undefined) return earlier;
  const isBlank = line?.cells.every((cell, column) => added.has(column) || cell.trim() === '');
  return earlier !== '' && isBlank ? earlier : visible(broken);
}
