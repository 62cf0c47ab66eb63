import { type Delimiter, PLAIN_DIALECT } from '../../table/dialect.ts';
import { type RawRecord, textOfRecord } from '../../table/records.ts';
import { type Column, placeOf } from '../columns/column.ts';
import { judgeHeader, meansTheSame, readsAsNames, thousandsIn } from '../columns/header-doubts.ts';
import type { KnownColumn } from '../columns/known-columns.ts';
import { errorColumnsOf } from '../columns/result-columns.ts';
import { makeProblem, type Problem } from '../problem.ts';
import { zeroOrLess } from '../values/amounts.ts';
import { groupOf, isTotalLabel } from '../values/total-words.ts';
import { makeFurtherTables } from './further-tables.ts';
import { isGroupTotal, SURELY_ADDED } from './group-totals.ts';
import { type ReadCells, tidied } from './read-cells.ts';
import { makeRunningSums, type Sum, totalMessage } from './running-sums.ts';

/** A line that was read, and may turn out not to be a buyer. */
type Candidate = ReadCells & { record: RawRecord };

type StrayOptions = {
  columns: readonly Column[];
  /** The lines above the header: a printed table repeats them at the top of each page. */
  titles?: readonly string[] | undefined;
  delimiter?: Delimiter;
  /** Whether rows that are hidden in a sheet are treated as visible. */
  hiddenRows?: boolean | undefined;
};

/**
 * Finds lines that are no buyers. Each line must be given once, in file order. Columns that an errors file added are ignored.
 *
 * A line that says little else is a total if its label says so. It is also one if its amount is the exact sum of the lines above, and it has
 * few cells, or has only a label, numbers and a currency while each line above names its buyer in further cells.
 */
export function makeStrayLines({ columns, titles, delimiter = PLAIN_DIALECT.delimiter, hiddenRows }: StrayOptions) {
  const added = errorColumnsOf(columns.map(({ written }) => written));
  const named = columns.filter(({ written, index }) => written !== '' && !added.has(index)).length;
  const nameAt = placeOf(columns, 'name');
  const amountAt = placeOf(columns, 'requested_limit');
  const currencyAt = placeOf(columns, 'currency');
  const namingAt = NAMING.map((column) => placeOf(columns, column)).filter((at) => at >= 0);
  const nameWritten = columns[nameAt]?.written ?? '';
  const hints = { columns: mappedOf(columns) };
  const further = makeFurtherTables(titles);
  const sums = makeRunningSums({ hiddenRows });
  const misstated: Problem[] = [];
  let lines = 0;
  let namedLines = 0;
  let filledCells = 0;
  let isAfterTotal = false;
  let last: { record: RawRecord; cells: readonly string[]; amount: string | null } | null = null;

  const ownCells = (cells: readonly string[]) =>
    added.size === 0 ? cells : cells.map((one, at) => (added.has(at) ? '' : one));

  function strayOf(line: Candidate): Problem | null {
    const { record, values, problems } = line;
    const cells = ownCells(record.cells);
    if (nameWritten !== '' && cells[nameAt]?.trim() === nameWritten && isHeaderAgain(cells))
      return told(record, nameAt, further.headerAgain());
    if (
      values.requested_limit === undefined &&
      readsAsNames(cells) &&
      judgeHeader({ cells: [...cells], fault: null }, hints).isComplete
    ) {
      // A header of the same columns, for example in another language, is a repetition.
      if (meansTheSame(cells, columns)) return told(record, nameAt, further.headerAgain());
      return told(record, -1, further.otherHeader(record.line));
    }
    const why = further.whyNotRead();
    if (why !== null) return told(record, -1, why);
    const filled = countFilled(cells);
    const labelAt = filled === 0 ? -1 : labelPlace(cells);
    const isFull = filled * 2 >= named;
    // If the lines above fill only few of many columns, a line with few filled cells is normal.
    const isSparse = !isFull && filled * 2 <= filledCells / lines + 1;
    if (lines > 0 && isTotal(line, cells, { labelAt, isFull, isSparse })) {
      if (values.requested_limit !== undefined)
        compare(record, values.requested_limit, isTotalLabel(cells[labelAt] ?? ''));
      close();
      return told(record, labelAt, TOTAL);
    }
    const isNamed = namingAt.some((at) => isFilled(cells[at] ?? ''));
    if (values.requested_limit !== undefined && !values.buyer_reference && (isSparse || !isNamed)) {
      const sum = sums.answeredBy(values.requested_limit);
      // Round amounts often add up by chance. A line that fills many cells needs more lines above it, all of which say who they are.
      const saysLittle = namedLines === lines && saysOnlyNumbers(cells, labelAt, currencyAt);
      if (sum && (isSparse || (sum.lines >= SURELY_ADDED && saysLittle))) {
        close();
        return told(record, amountAt, sumMessage(sum, isSparse));
      }
    }
    const isAlone = filled === 1 && problems.length > 0 && record.fault === null;
    const isNote = isAlone && lines > 0;
    const words = isNote ? thousandsIn(cells[labelAt] ?? '') : null;
    if (words !== null) {
      const said = told(record, labelAt, thousandsMessage(words));
      if (misstated.length < MOST_MISSTATED) misstated.push(said);
      return said;
    }
    if (isNote && (named > 2 || NOTE.test(cells[labelAt] ?? ''))) {
      further.note(record.line, cells[labelAt] ?? '');
      return saysOnlyNumbers(cells) ? null : told(record, labelAt, NOTE_MESSAGE);
    }
    // In a list of two columns, or as the first line of a list, a heading reads like a buyer without an amount.
    further.buyer();
    // So does a title with the day of its list in another cell.
    const isTitle = filled === 2 && named > 3 && !isNamed && values.requested_limit === undefined;
    if (isAlone || (isTitle && problems.length > 0 && record.fault === null))
      further.note(record.line, cells.filter(isFilled).join(' '));
    lines += 1;
    if (isNamed) namedLines += 1;
    filledCells += filled;
    const amount = values.requested_limit;
    last = { record, cells, amount: problems.length > 0 ? null : (amount ?? null) };
    if (amount !== undefined) sums.add(amount, record);
    else addUnrequested(cells[amountAt] ?? '');
    return null;
  }

  type Look = { labelAt: number; isFull: boolean; isSparse: boolean };

  /** Whether a line is a total by its label. The line may have little else, since a buyer's name can read like a total. */
  function isTotal({ values }: Candidate, cells: readonly string[], { labelAt, isFull, isSparse }: Look): boolean {
    const written = cells[labelAt] ?? '';
    const isNamed = isTotalLabel(written);
    const label = isNamed ? null : groupOf(written);
    if (!isNamed && label === null) return false;
    if (values.buyer_reference && values.buyer_reference !== written.trim()) return false;
    if (isFull && !saysOnlyNumbers(cells, labelAt, currencyAt)) {
      // A balance with a date may fill half of a total's cells. The exact sum of other lines leaves no doubt then.
      const isSum = isNamed && values.requested_limit !== undefined && sums.answeredBy(values.requested_limit) !== null;
      // A word such as `all` in another column than the name, as a state of the buyer, names no line.
      const isOfName = labelAt === nameAt || !isFilled(cells[nameAt] ?? '');
      return isSum && isOfName && !namingAt.some((at) => isFilled(cells[at] ?? ''));
    }
    if (label === null) return true;
    const above = last?.cells ?? [];
    return isGroupTotal({ label, above, isSparse, amount: values.requested_limit, sums, isAfterTotal });
  }

  function addUnrequested(written: string): void {
    const below = zeroOrLess(tidied(written));
    if (below === null) sums.addUnread();
    else sums.addBelow(below);
  }

  /**
   * Notes a total that differs from the sum of the lines above it, or may differ, since amounts of them cannot be read. Only hidden rows are
   * noted for a group's total: it may be that of another group.
   */
  function compare(record: RawRecord, amount: string, isLabelled: boolean): void {
    const other = sums.otherThan(amount);
    if (other === undefined || lines === 0 || misstated.length === MOST_MISSTATED) return;
    if (!isLabelled && !('hidden' in other)) return;
    misstated.push(told(record, amountAt, totalMessage(other)));
  }

  function close(): void {
    sums.close();
    isAfterTotal = true;
  }

  /**
   * The index of the cell with the line's label: the name, or without one the first filled cell. A number from the team's system may
   * precede a name.
   */
  function labelPlace(cells: readonly string[]): number {
    const first = cells.findIndex(isFilled);
    const name = cells[nameAt] ?? '';
    return isFilled(name) && !isTotalLabel(cells[first] ?? '') ? nameAt : first;
  }

  function isHeaderAgain(cells: readonly string[]): boolean {
    return cells.every((cell, at) => !isFilled(cell) || cell.trim() === (columns[at]?.written ?? ''));
  }

  /** The line without an errors file's columns. Otherwise each round would wrap the text of the previous one again. */
  function textOf(record: RawRecord): string {
    if (added.size > 0) return record.cells.filter((_cell, at) => !added.has(at)).join(delimiter);
    return textOfRecord(record, delimiter);
  }

  function told({ line, cells }: RawRecord, at: number, message: string): Problem {
    return makeProblem(line, columns[at]?.written ?? null, cells[at]?.trim() ?? null, message);
  }

  return {
    /** Totals that say another sum than the lines above them, or may do so, and notes by which amounts mean something else. */
    misstated,
    /**
     * Replaces the problems of a line that is a total, a subtotal, a repeated header, a note, hidden or struck through, and returns true.
     * Leaves other lines unchanged.
     */
    judge(line: Candidate): boolean {
      const { record } = line;
      const stray = strayOf(line);
      const isHidden = record.sheet?.hidden === true && !hiddenRows;
      const isStruck = record.sheet?.struck?.some((at) => at === nameAt || at === amountAt);
      if (stray === null && !isHidden && !isStruck) return false;
      line.problems = [stray ?? makeProblem(record.line, null, null, isHidden ? HIDDEN : STRUCK)];
      line.open = false;
      // A stray line requests nothing. A row that is hidden or struck through keeps its values, because an import may know its row from
      // earlier.
      if (stray) {
        line.values = {};
        line.isStray = true;
      }
      // The line is kept as text for correction, not as cells: alone in another file, it could be taken for a buyer and requested.
      line.broken = textOf(record);
      return true;
    },
    /** Warnings about the file: total lines with a wrong sum, and a last line that may be a total. To be called after all lines. */
    fileWarnings(): Problem[] {
      const others = last?.amount ? sums.lastAnswers(last.amount) : 0;
      if (!last || others === 0) return misstated;
      const message = `This amount is the exact sum of the ${others} lines above it: check whether the line is their total, and remove it if it is.`;
      return [...misstated, told(last.record, amountAt, message)];
    },
  };
}

/** The mapping of header names, which also applies to a repeated header. */
function mappedOf(columns: readonly Column[]): Record<string, KnownColumn | null> {
  // Without a prototype, because a header may be called `__proto__`.
  const mapped: Record<string, KnownColumn | null> = Object.create(null);
  for (const { by, known, written } of columns) if (by === 'map') mapped[written] = known;
  return mapped;
}

function countFilled(cells: readonly string[]): number {
  let filled = 0;
  for (const cell of cells) if (isFilled(cell)) filled += 1;
  return filled;
}

/** Whether a cell has text. The test of its first character avoids a trim for most cells. */
const isFilled = (cell: string): boolean => cell !== '' && (cell.charCodeAt(0) > 0x20 || cell.trim() !== '');

/** Whether the line has only numbers, apart from these cells. */
function saysOnlyNumbers(cells: readonly string[], ...but: readonly number[]): boolean {
  return cells.every((cell, at) => but.includes(at) || !isFilled(cell) || NUMBER.test(cell.trim()));
}

/** Columns that say which buyer or request a line means, besides its name: a total has none of them. */
const NAMING: readonly KnownColumn[] = [
  'country_code',
  'company_registration_number',
  'business_information_id',
  'buyer_reference',
  'request_reference',
  'company_id',
];

/** An amount or a count, with its currency, a percent sign or its side of an account (`Dr`). A date does not match. */
const NUMBER = /^[A-Z€$£]{0,3}\s?[-+(]?\d[\d.,'’\s\u00a0\u202f]*[-)%]?\s?(?:[A-Z€$£]{0,3}|[DC]r\.?)$/;

/** A note below two columns: `* geschätzt`, `Stand: 30.09.2026`. Alone on a line, `Acme Inc.` reads like one, too. */
const NOTE = /^\s*[*†‡(#]|:|\.\s*$/;

const TOTAL =
  'This line reads like a total of other lines, not like a buyer: remove it, or, if it is a buyer, give the line a buyer_reference.';
const NOTE_MESSAGE =
  'Only this cell of the line is filled, so it reads like a note or a heading, not like a buyer: remove the line, or, if it is a buyer, fill in the rest.';

/** The problem of a note below the header about all amounts of the file. A title above the header that says the same refuses the file. */
function thousandsMessage(words: string): string {
  return `This note says that the amounts of the file are in thousands or millions (${words}), but Limitline sends them exactly as written. Write them in full, and remove the note.`;
}

/** Why a hidden row is not read. */
export const HIDDEN =
  'This row is hidden in the sheet, by hand or by a filter: say --hidden-rows to include hidden rows, or show it or delete it in the sheet.';

/** Why a row with a line through its name or amount is not read. */
export const STRUCK =
  'This row is struck through in the sheet: delete it, or, if it is to be read, take the line off its cells there.';

/** The most wrong or unchecked totals that are reported. If each group's total differs, more reports would only repeat the same. */
const MOST_MISSTATED = 5;

function sumMessage({ lines, from, to }: Sum, isSparse: boolean): string {
  const empty = isSparse ? 'most other cells are empty' : 'neither a country nor a number says who the buyer is';
  return `This amount is the exact sum of the ${lines} lines from ${from} to ${to}, and ${empty}, so it reads like their total: remove the line, or, if it is a buyer, give it a buyer_reference.`;
}
