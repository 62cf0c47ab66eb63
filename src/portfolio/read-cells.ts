import type { Column, KnownColumn } from './columns.ts';
import { type Dialect, delimiterWord } from './dialect.ts';
import { makeProblem } from './problem.ts';
import type { RawRecord } from './records.ts';
import type { Problem } from './row.ts';
import { describeDamage } from './text.ts';
import { makeValueReaders, type ValueReader } from './values.ts';

/** The cells of one record that mean something to us and are not empty: trimmed, checked, amounts canonical. */
export type Values = { [column in KnownColumn]?: string };

/** Reads one record; every problem of it is told, not the first alone, and then the values are not to be used. */
export type CellReader = (record: RawRecord) => { values: Values; problems: Problem[] };

/**
 * A reader of records for these columns: what there is to check is found out once, not once a line.
 *
 * @param today the latest date, YYYY-MM-DD, that statements may carry.
 */
export function makeCellReader({
  columns,
  dialect,
  today,
}: {
  columns: Column[];
  dialect: Dialect;
  today: string;
}): CellReader {
  const readers = makeValueReaders({ today });
  const tasks = columns
    .filter((column) => column.known !== null || column.needed)
    .map((column): Task => ({ column, read: column.known ? readers[column.known] : undefined }));

  return (record) => {
    const { line, cells, fault } = record;
    const sound = cells.every(isSound);
    const problems = sound ? [] : textProblems(record, columns, dialect.encoding);
    const values: Values = {};
    if (fault) {
      const cell = fault.cell === null ? null : (cells[fault.cell] ?? null);
      problems.unshift(makeProblem(line, writtenAt(columns, fault.cell), cell, fault.message));
    } else if (cells.length !== columns.length && !fitsBut(cells, columns)) {
      problems.unshift(makeProblem(line, null, null, raggedMessage(cells.length, columns.length, dialect)));
    } else {
      for (const task of tasks) readCell(task, { record, sound, values, problems });
    }
    return { values, problems };
  };
}

type Task = { column: Column; read: ValueReader | undefined };
type Target = { record: RawRecord; sound: boolean; values: Values; problems: Problem[] };

function readCell({ column, read }: Task, { record: { line, cells }, sound, values, problems }: Target): void {
  const text = (cells[column.index] ?? '').trim();
  if (text === '') {
    if (column.needed) problems.push(makeProblem(line, column.written, null, 'This cell is empty and must not be.'));
    return;
  }
  // Damaged text is told of already; that it is no e-mail address either would only distract.
  if (!sound && !isSound(text)) return;
  const reading = read ? read(text) : { value: text };
  if ('problem' in reading) problems.push(makeProblem(line, column.written, text, reading.problem));
  else if (column.known) values[column.known] = reading.value;
}

/** Whether the text is UTF-8 without control characters. Tabs and line breaks are let through: cells have them. */
function isSound(text: string): boolean {
  return text.isWellFormed() && !CONTROL.test(text);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;

function textProblems({ line, cells }: RawRecord, columns: Column[], encoding: string): Problem[] {
  return cells.flatMap((cell, index) => {
    const written = writtenAt(columns, index);
    const problems: Problem[] = [];
    const damage = describeDamage(cell, encoding);
    if (damage) problems.push(makeProblem(line, written, cell, damage));
    const control = CONTROL.exec(cell)?.[0];
    if (control !== undefined) {
      const code = control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
      const message = `The cell holds the control character U+${code}, which cannot be seen: type the cell again.`;
      problems.push(makeProblem(line, written, cell, message));
    }
    return problems;
  });
}

function writtenAt(columns: Column[], index: number | null): string | null {
  return index === null ? null : (columns[index]?.written ?? null);
}

/** Spreadsheets write delimiters behind the last column, on some lines more of them than on others. */
function fitsBut(cells: string[], columns: Column[]): boolean {
  if (cells.length > columns.length) return cells.slice(columns.length).every((cell) => cell.trim() === '');
  return columns.slice(cells.length).every((column) => column.written === '');
}

function raggedMessage(found: number, wanted: number, { delimiter }: Dialect): string {
  const sign = delimiterWord(delimiter);
  const counts = `The line has ${found} ${found === 1 ? 'cell' : 'cells'} and the header ${wanted}`;
  return found < wanted
    ? `${counts}: a ${sign} is missing, or the line was cut off.`
    : `${counts}: put a cell that holds a ${sign} in quotation marks, or take the extra ${sign} away.`;
}
