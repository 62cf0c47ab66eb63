import { counted } from '../../counted.ts';
import { type Column, placeOf } from '../columns/column.ts';
import { makeProblem, type Problem } from '../problem.ts';
import type { LineDraft } from './read-cells.ts';

/**
 * Compares how the amounts of a file are written: with which decimal separator, and whether the end of the file cut one off. A missing line
 * break at the end means nothing by itself, since editors often leave it out. So it counts only beside an amount that is written otherwise
 * than all amounts above it, or a size that is a multiple of {@link BLOCK_BYTES}. A cut before the last cell is found by the number of
 * cells.
 */
export function makeAmountForms(columns: readonly Column[]) {
  const amountAt = placeOf(columns, 'requested_limit');
  const written = columns[amountAt]?.written ?? null;
  /** By decimal separator: its first amount, and how many have it. */
  const marks = new Map<string, { line: number; cell: string; count: number }>();
  let ending = '';
  let isAlike = true;
  let amounts = 0;
  let unended: number | null = null;

  return {
    /** Adds a problem to the last line if its amount may be cut off. Lines must come in file order. */
    judge({ record, problems }: LineDraft): void {
      // A sheet stores every number with a point.
      if (problems.length > 0 || record.sheet?.numbers.includes(amountAt)) return;
      const { line, cells, text, isUnended } = record;
      const cell = cells[amountAt]?.trim() ?? '';
      const own = ENDING.exec(cell)?.[0].replace(/\d/g, '0') ?? '';
      if (isUnended && !text?.endsWith('"')) {
        unended = line;
        const isFixed =
          isAlike && amounts >= FEWEST && ending.length >= FIXED_LENGTH && ending.length !== THOUSANDS_LENGTH;
        if (isFixed && own !== ending && cells.length === amountAt + 1)
          problems.push(makeProblem(line, written, cell, CUT));
        if (problems.length > 0) return;
      }
      if (amounts === 0) ending = own;
      isAlike &&= own === ending;
      amounts += 1;
      if (own === '' || own.length === THOUSANDS_LENGTH) return;
      const mark = marks.get(own.charAt(0));
      if (mark) mark.count += 1;
      else marks.set(own.charAt(0), { line, cell, count: 1 });
    },
    /** Warnings after all lines: of both decimal separators, and of a size at which files are cut off. */
    fileWarnings(readBytes: number | undefined = 1): Problem[] {
      const isAtBlock = readBytes % BLOCK_BYTES === 0;
      const cut = unended !== null && isAtBlock ? [makeProblem(unended, null, null, AT_BLOCK)] : [];
      const [rare, usual] = [...marks].sort(([, one], [, other]) => one.count - other.count);
      if (!rare || !usual) return cut;
      const [[sign, { line, cell, count }], [otherSign, other]] = [rare, usual];
      const many = counted(count, 'amount has', 'amounts have');
      const message = `${many} a decimal ${NAMES[sign]}${count === 1 ? '' : ', this one first'}, and the others have a decimal ${NAMES[otherSign]}, such as ${other.cell} in line ${other.line}: check that none of them means thousands.`;
      return [...cut, makeProblem(line, written, cell, message)];
    },
  };
}

const NAMES: Record<string, string> = { '.': 'point', ',': 'comma' };

/** The decimals of an amount with their separator, also before a currency. Only their number counts. */
const ENDING = /[.,]\d+(?=\D*$)/;

/** A separator and two digits: amounts with decimals of a fixed number. Programs that write one digit often write none for whole amounts. */
const FIXED_LENGTH = 3;

/** A separator and three digits, which may be thousands. */
const THOUSANDS_LENGTH = 4;

/** Fewest amounts above the last one that show how the file writes amounts. */
const FEWEST = 3;

/** The smallest block in which disks and copies are written. A whole file has such a size once in 512 times. */
const BLOCK_BYTES = 512;

const CUT =
  'The file ends within this amount, which is written otherwise than all amounts above it: it may be cut off. Compare it with the source. If it is whole, write it as the others are, or end the line with a line break.';

const AT_BLOCK =
  'The file ends within this line, without a line break, and its size is that of a file that was cut off: check whether the line is whole, and whether lines are missing after it.';
