import { is } from '../../src/ledger/schema/row.ts';
import { rowName } from '../../src/ledger/schema/schema.ts';
import {
  ERROR_COLUMNS,
  errorColumnsOf,
  LINE_COLUMN,
  lineOfFileText,
  mendedRowOf,
  shortDigest,
} from '../../src/portfolio/columns/result-columns.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import { visible } from '../../src/portfolio/problem.ts';
import {
  errorColumns,
  makeSheetValues,
  resultColumnsOf,
  type SheetValues,
} from '../../src/portfolio/results/line-rewriter.ts';
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
 * Lines to correct: their own cells, the problem, and the row that each line corrects. A line that is broken as a record has
 * empty cells: cut or padded cells might look sound and be requested uncorrected. New columns of ours replace those of an
 * earlier errors file. Held rows need `resolve` and are only counted, by `onHeld`. With a cause, only rows that failed for it.
 */
export function errorsTable(
  files: Files,
  { account, portfolio, inSheet, onHeld, cause }: TableOptions & { onHeld: () => void; cause?: string | undefined },
): ExportTable {
  const headers = [...files.values()].map((opened) =>
    JSON.stringify(opened && resultColumnsOf(opened.rewriter.header).names),
  );
  const areAlike = new Set(headers).size === 1;
  const own = makePlacedCells(files, (opened) => errorColumns(opened, areAlike));
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
      const cells = line && (broken === undefined ? (values ?? read)?.cells(line) : read?.blank());
      yield [
        ...own.cells(file, cells, ledgerCells(found?.result.request)),
        mendedRow(exported, opened),
        lineText(exported, opened, broken),
        problem || `It is ${state}.`,
        account,
        lineOfFileText({ portfolio, file: shortDigest(file.known.id), line: exported.number }),
      ];
    },
  };
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

/** The text to fill the cells from: the line's own text, or that of an earlier errors file if all cells are still empty. */
function lineText({ line }: ExportedLine, opened: Opened | undefined, broken: string | undefined): string {
  const { header } = opened?.rewriter ?? { header: [] };
  const added = errorColumnsOf(header);
  const at = header.findLastIndex((name, column) => name === LINE_COLUMN && added.has(column));
  const earlier = line?.cells[at] ?? '';
  if (broken === undefined) return earlier;
  const isBlank = line?.cells.every((cell, column) => added.has(column) || cell.trim() === '');
  return earlier !== '' && isBlank ? earlier : visible(broken);
}
