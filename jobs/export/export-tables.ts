import { digestOf } from '../../src/ledger/calls.ts';
import { rowName } from '../../src/ledger/row-id.ts';
import { askedOf, type RowResult } from '../../src/ledger/rows.ts';
import { KNOWN_COLUMNS, type KnownColumn } from '../../src/portfolio/columns/known-columns.ts';
import {
  ERROR_COLUMNS,
  errorColumnsOf,
  LINE_COLUMN,
  mendedRowOf,
  RESULT_COLUMNS,
} from '../../src/portfolio/columns/result-columns.ts';
import { digestOfCells, recordedBuyerText } from '../../src/portfolio/identity/recorded-buyer.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import { visible } from '../../src/portfolio/problem.ts';
import {
  errorColumns,
  mergeColumns,
  type OwnColumns,
  resultColumnsOf,
} from '../../src/portfolio/results/merged-columns.ts';
import { makeSheetValues, type SheetValues } from '../../src/portfolio/results/sheet-values.ts';
import type { ExportedLine, ImportFile } from './export-lines.ts';
import { LEDGER_COLUMNS, ledgerCells } from './ledger-cells.ts';

/** What is written: a header, and for a line the records that it leads to. */
export type Table = {
  header: string[];
  /** Hears of each file when its lines begin. */
  begin(file: ImportFile, opened: Opened): void;
  write(line: ExportedLine): Iterable<string[]>;
};

/** The files of a portfolio with what is known of each before its lines are read; nothing where its copy is gone. */
export type Files = ReadonlyMap<ImportFile, Opened | undefined>;

/** In a sheet amounts and days are written plainly, for they are numbers there. */
type How = { account: string; inSheet: boolean };

/**
 * All lines with all their own columns, and what became of each. Of files with different headers, columns that mean something
 * to us stand under our names, and what only their file explains is written plainly: else nobody could tell them any more,
 * neither a person nor `recover`.
 */
export function resultTable(files: Files, { account, inSheet }: How): Table {
  let values: Pick<SheetValues, 'cells'> | undefined;
  const areAlike = haveOneHeader(files);
  const own = ownColumns(files, (opened) =>
    areAlike ? resultColumnsOf(opened.header) : errorColumns(opened, areAlike),
  );
  const cellsDigest = digestOfCells(areAlike ? knownColumns(files, own.header) : own.header.map(knownNamed));
  return {
    header: [...own.header, ...RESULT_COLUMNS],
    begin(_file, begun) {
      values = inSheet ? makeSheetValues(begun) : areAlike ? undefined : begun.rewriter;
    },
    *write(exported) {
      const { file, number, line, found } = exported;
      const { record = {}, companyId = '', documentIds = [], limitId = '', step = '' } = found?.result ?? {};
      const cells = line ? (values?.cells(line) ?? line.cells) : ledgerCells(found?.result.request);
      const written = own.cells(file, line ? cells : undefined, cells);
      yield [
        ...written,
        ...[found ? rowName(found.row) : '', importName(file), String(number)],
        ...[stateOf(exported), step, companyId || (found?.result.request.companyId ?? '')],
        ...[
          documentIds.join('|'),
          limitId,
          record.status ?? '',
          record.total_limit ?? '',
          record.available_limit ?? '',
        ],
        ...[problemOf(exported), found ? new Date(found.result.updatedMs).toISOString() : '', account],
        found ? knownText(exported, found.result, cellsDigest(written)) : '',
      ];
    },
  };
}

/**
 * Lines that want mending: their own cells as they were, why, and the row that each mends. One that is broken as a record has
 * its cells empty: cut or filled up they might be a sound line, and be requested though nobody mended it. Our columns of an
 * earlier round give way to new ones. What is held is for `resolve` and not for mending, and is told to `onHeld`.
 */
export function errorTable(files: Files, { account, inSheet, onHeld }: How & { onHeld: () => void }): Table {
  const headers = [...files.values()].map((opened) =>
    JSON.stringify(opened && resultColumnsOf(opened.rewriter.header).names),
  );
  const areAlike = new Set(headers).size === 1;
  const own = ownColumns(files, (opened) => errorColumns(opened, areAlike));
  let opened: Opened | undefined;
  let values: SheetValues | undefined;
  return {
    header: [...own.header, ...ERROR_COLUMNS],
    begin(_file, begun) {
      opened = begun;
      values = inSheet ? makeSheetValues(begun) : undefined;
    },
    *write(exported) {
      const { file, line, found } = exported;
      const [state, problem] = [stateOf(exported), problemOf(exported)];
      if ((state === 'done' || state === 'skipped') && problem === '') return;
      if (found?.result.replaced && !exported.fault) return;
      if (state === 'held') return onHeld();
      const broken = line?.kind === 'invalid' ? line.broken : undefined;
      const read = line && opened ? opened.rewriter : undefined;
      const cells = line && (broken === undefined ? (values ?? read)?.cells(line) : read?.blank());
      yield [
        ...own.cells(file, cells, ledgerCells(found?.result.request)),
        ...[mendedRow(exported, opened), lineText(exported, opened, broken)],
        ...[problem || `It is ${state}.`, account],
      ];
    },
  };
}

/** `q4.csv #2`: the second import of the portfolio. */
export function importName({ known }: ImportFile): string {
  return `${known.fileName} #${known.number}`;
}

/** Whether the lines of all files stand in the same columns, with the same meanings. */
function haveOneHeader(files: Files): boolean {
  const headers = [...files.values()].map((opened) => {
    if (!opened) return '';
    const { names, places } = resultColumnsOf(opened.header);
    return JSON.stringify([names, places.map((place) => opened.columns[place]?.known)]);
  });
  return new Set(headers).size === 1;
}

/** What the columns of files with one header mean. */
function knownColumns(files: Files, header: readonly string[]): (KnownColumn | null)[] {
  const [opened] = files.values();
  if (!opened) return header.map(knownNamed);
  return resultColumnsOf(opened.header).places.map((place) => opened.columns[place]?.known ?? null);
}

function knownNamed(name: string): KnownColumn | null {
  return KNOWN_COLUMNS.find((known) => known === name) ?? null;
}

function knownText({ fault }: ExportedLine, { request }: RowResult, cells: string): string {
  const { buyer, limit } = request;
  const amount = limit.requested_limit;
  return recordedBuyerText({ buyer, asked: digestOf(askedOf(request)), cells, amount, isOwn: fault === undefined });
}

function ownColumns(files: Files, columnsOf: (opened: Opened) => OwnColumns) {
  const known = { names: LEDGER_COLUMNS, places: LEDGER_COLUMNS.map((_name, place) => place) };
  const columns = [...files.values()].map((opened) => (opened ? columnsOf(opened) : known));
  const { header, columnsOf: inTable } = mergeColumns(columns.map(({ names }) => names));
  const placed = new Map([...files.keys()].map((file, at) => [file, { own: columns[at], at: inTable[at] ?? [] }]));
  return {
    header,
    /** A line's cells where they belong; those of the ledger by their names, where the line cannot be read. */
    cells(file: ImportFile, cells: readonly string[] | undefined, fromLedger: readonly string[]): string[] {
      const written = header.map(() => '');
      const { own, at } = placed.get(file) ?? { own: undefined, at: [] };
      if (cells)
        for (const [place, from] of (own?.places ?? []).entries()) written[at[place] ?? -1] = cells[from] ?? '';
      else {
        for (const [place, name] of LEDGER_COLUMNS.entries()) {
          const column = header.indexOf(name);
          if (column !== -1) written[column] = fromLedger[place] ?? '';
        }
      }
      return written;
    },
  };
}

function stateOf({ found, fault }: ExportedLine): string {
  return found?.result.state ?? fault?.kind ?? '';
}

function problemOf({ found, fault }: ExportedLine): string {
  if (!found && !fault) return 'Not imported: the import was interrupted. Import the file again.';
  return [fault?.message, found && problemText(found.result)].filter((problem) => problem).join('; ');
}

/** The sentence, then what the service said, as it came, or what was sent to it in vain. */
function problemText({ problem, again }: RowResult): string {
  if (again) return `Made twice at the service: ${again.id} and ${again.again}; ask the service to withdraw one`;
  if (!problem) return '';
  const said = problem.body ? `${problem.message}: ${problem.body}` : problem.message;
  return problem.sent ? `${said}; what was sent: ${problem.sent}` : said;
}

/**
 * The row that a mended line takes the place of; one that was sent keeps its words, and has nothing to be mended. A line that
 * led to none still mends what it said that it mends.
 */
function mendedRow({ found, line }: ExportedLine, opened: Opened | undefined): string {
  if (!found) return line && opened ? mendedRowOf(opened.rewriter.header)(line.cells) : '';
  if (found.result.state === 'done' || found.result.state === 'skipped') return '';
  return rowName(found.row);
}

/** What the cells are to be filled in from: the line's own text, or that of an earlier round where nobody has filled in any. */
function lineText({ line }: ExportedLine, opened: Opened | undefined, broken: string | undefined): string {
  const { header } = opened?.rewriter ?? { header: [] };
  const added = errorColumnsOf(header);
  const at = header.findLastIndex((name, column) => name === LINE_COLUMN && added.has(column));
  const earlier = line?.cells[at] ?? '';
  if (broken === undefined) return earlier;
  const isBlank = line?.cells.every((cell, column) => added.has(column) || cell.trim() === '');
  return earlier !== '' && isBlank ? earlier : visible(broken);
}
