import { contentDigest } from '../../src/ledger/calls/claim-answers.ts';
import { askedOf, type RowResult } from '../../src/ledger/schema/row.ts';
import { rowName } from '../../src/ledger/schema/schema.ts';
import { KNOWN_COLUMNS, type KnownColumn } from '../../src/portfolio/columns/known-columns.ts';
import { RESULT_COLUMNS } from '../../src/portfolio/columns/result-columns.ts';
import { digestOfCells, recordedBuyerText } from '../../src/portfolio/identity/recorded-buyer.ts';
import {
  errorColumns,
  makeSheetValues,
  resultColumnsOf,
  type SheetValues,
} from '../../src/portfolio/results/line-rewriter.ts';
import { importName } from '../rows/import-names.ts';
import type { ExportedLine } from './export-lines.ts';
import {
  type ExportTable,
  type Files,
  ledgerCells,
  makePlacedCells,
  problemIn,
  stateOf,
  type TableOptions,
} from './table.ts';

/**
 * All lines with all their own columns, and what became of each. If files have different headers, known columns are written
 * under our names, and values that only a file's own options explain are normalised. Otherwise neither a person nor `recover`
 * could read them.
 */
export function resultsTable(files: Files, { account, inSheet, isHeldOnly }: TableOptions): ExportTable {
  let values: Pick<SheetValues, 'cells'> | undefined;
  const areAlike = haveOneHeader(files);
  const own = makePlacedCells(files, (opened) =>
    areAlike ? resultColumnsOf(opened.header) : errorColumns(opened, areAlike),
  );
  const cellsDigest = digestOfCells(areAlike ? knownColumns(files, own.header) : own.header.map(knownNamed));
  return {
    header: [...own.header, ...RESULT_COLUMNS, ...(isHeldOnly ? ['id'] : [])],
    isPlain: areAlike && !inSheet,
    begin(_file, begun) {
      values = inSheet ? makeSheetValues(begun) : areAlike ? undefined : begun.rewriter;
    },
    *write(exported) {
      const { file, line, found } = exported;
      if (isHeldOnly && stateOf(exported) !== 'held') return;
      const read = line?.kind === 'plain' ? line.cells : line && (values?.cells(line) ?? line.cells);
      const cells = read ?? ledgerCells(found?.result.request);
      const written = own.cells(file, line ? cells : undefined, cells);
      const known = found ? knownText(exported, found.result, cellsDigest(written)) : '';
      yield [...written, ...outcomeCells(exported, account), known, ...(isHeldOnly ? [''] : [])];
    },
  };
}

/** The cells of {@link RESULT_COLUMNS} except the last. */
function outcomeCells(exported: ExportedLine, account: string): string[] {
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
    result?.record.total_limit ?? '',
    result?.record.available_limit ?? '',
    problemIn(exported),
    result ? new Date(result.updatedMs).toISOString() : '',
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

/** The known columns of files with one header. */
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
  return recordedBuyerText({
    buyer,
    asked: contentDigest(askedOf(request)),
    cells,
    amount,
    isOwn: fault === undefined,
  });
}
