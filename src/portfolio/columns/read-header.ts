import type { Delimiter } from '../../table/dialect.ts';
import { LINE_BREAK } from '../../table/physical-lines.ts';
import type { RawRecord } from '../../table/records.ts';
import { makeProblem, type Problem } from '../problem.ts';
import { aliasOf, headerMeaningOf, isKnownName, isLaterName } from './aliases.ts';
import type { Column } from './column.ts';
import { type ExtraField, extraOfHeader, makeExtraClashes } from './extra-fields.ts';
import { makeRests, namesTwice, restsOfNames } from './header-doubts.ts';
import { isKnown, KNOWN_COLUMNS, type KnownColumn, NEEDED, plainName } from './known-columns.ts';
import { type HeaderMeaning, type MappingEntry, type MatchedMapping, matchMapping } from './mapping.ts';
import { isErrorsHeader, isResultsHeader } from './result-columns.ts';

export type HeaderRules = {
  /** Columns that must exist and not be empty, including the team's own. */
  needed: readonly string[];
  /** The mapping by header as written. It overrides everything else. */
  columns?: Readonly<Record<string, HeaderMeaning>>;
  /** Columns whose values the mapping gives for every line. */
  constants?: Readonly<Partial<Record<KnownColumn, string>>>;
  /** The file's delimiter; default: a comma. */
  delimiter?: Delimiter | undefined;
  /** Indexes of columns that are not interpreted: those that a results file adds. */
  foreign?: ReadonlySet<number> | undefined;
};

/**
 * Finds the known columns of a header, and those that a person sends by a path: by the mapping, by Limitline's own names (any case, spaces
 * or hyphens for underscores, also dotted as in `address.city`), or by the tables of names. An uncertain name is only a warning. Unknown
 * columns are kept.
 */
export function readHeader(
  header: RawRecord,
  rules: HeaderRules,
): { columns: Column[]; problems: Problem[]; warnings: Problem[] } {
  const { needed, constants = {}, delimiter = ',', foreign } = rules;
  const entries = matchMapping(header.cells.map(writtenOf), rules.columns ?? {});
  const columns = tellColumns(header, entries, foreign);
  const problems = header.cells.flatMap((cell) => swallowed(header.line, cell.toWellFormed(), delimiter));
  const unmatched = unmatchedOf(header, columns, { ...entries, delimiter });
  problems.push(...unmatched.problems);
  if (!foreign && isResultsHeader(header.cells)) problems.unshift(makeProblem(header.line, null, null, RESULTS_FILE));
  const wanted = new Set(needed.map(plainName));
  const seen = new Map<string, Column>();
  // The setting may name a column as the header does, though that name means a known column.
  const owns = new Set(columns.map(ownMeaning));
  const clashOf = makeExtraClashes();
  for (const column of columns) {
    const own = ownMeaning(column);
    const name = column.known ?? own;
    const earlier = seen.get(name);
    column.needed = wanted.has(name) || wanted.has(own);
    if (earlier === undefined) seen.set(name, column);
    else if (column.known || column.needed) problems.push(named(header.line, name, earlier, column));
    const clash = column.extra && clashOf(column.extra);
    if (clash) problems.push(makeProblem(header.line, column.written, null, clashes(column, clash)));
    if (column.known && constants[column.known] !== undefined) {
      const message = `The mapping gives ${name} for every line, and this column gives it too: take one of them away.`;
      problems.push(makeProblem(header.line, column.written, null, message));
    }
  }
  const has = (name: string) => seen.has(name) || owns.has(name) || (isKnown(name) && constants[name] !== undefined);
  const missing = [...wanted].filter((name) => !has(name));
  const isHeader =
    missing.length === 0 ||
    missing.length < wanted.size ||
    columns.some(({ known, guess, by }) => known ?? guess ?? by);
  const written = header.cells.join(delimiter);
  if (!isHeader)
    problems.push(makeProblem(header.line, null, written, isInOneCell(header.cells) ? IN_ONE_CELL : noHeader(missing)));
  for (const name of isHeader ? missing : []) {
    const message = `The column ${name} is needed and the header has no such name. ${remedyFor(name, columns)}`;
    problems.push(makeProblem(header.line, name, written, message));
  }
  // In a results file, the columns were decided before its lines were requested.
  if (!foreign) problems.push(...namesTwice(header.line, columns));
  // A guess leads to no question if another column certainly is what it may be: the guessed column is the team's own then. The exception is
  // a name that certainly means the same column as well.
  const questions = columns.flatMap((column) =>
    seen.has(column.guess ?? '') && !column.thousands && !isGivenTwice(column) ? [] : question(header.line, column),
  );
  // A column of amounts in thousands is not even a guess, since it must not be read as full amounts.
  for (const column of columns) if (column.thousands) column.guess = null;
  return { columns, problems, warnings: [...questions, ...restsOfNames(header.line, columns), ...unmatched.warnings] };
}

function tellColumns(header: RawRecord, { entryOf }: MatchedMapping, foreign?: ReadonlySet<number>): Column[] {
  const isErrors = isErrorsHeader(header.cells);
  const columns = header.cells.map((cell, index): Column => {
    const written = writtenOf(cell);
    const { known, guess, currency, thousands } = headerMeaningOf(written);
    const column: Column = { index, written, known: null, needed: false, by: null, guess: null, currency, thousands };
    if (foreign?.has(index)) return { ...column, currency: null, thousands: false };
    const name = plainName(written);
    const entry = entryOf(written);
    if (entry) return { ...column, ...meant(entry.means), by: 'map' };
    // An errors file has the paths in place of mapped headers.
    const extra = isErrors ? extraOfHeader(written) : undefined;
    if (extra) return { ...column, extra, by: 'name' };
    if (isKnown(name)) return { ...column, known: name, by: 'name' };
    return known ? { ...column, known, by: 'alias' } : { ...column, guess };
  });
  const isUsual = ({ by, written }: Column) => by !== 'alias' || !isLaterName(written);
  const own = columns.filter((column) => {
    const { known } = column;
    if (known === null || NEEDED.includes(known) || isUsual(column)) return false;
    return columns.some((other) => other !== column && other.known === known && isUsual(other));
  });
  for (const column of own) Object.assign(column, { known: null, by: null });
  const counts = new Map<KnownColumn | null, number>();
  for (const { known } of columns) counts.set(known, (counts.get(known) ?? 0) + 1);
  // If two columns may be meant, neither is taken by its alias alone.
  const doubtful = columns.filter(({ by, known }) => by === 'alias' && (counts.get(known) ?? 0) > 1);
  // A column with the first part of the buyers' names (`NAME1`) is not taken either, if another one has the rest (`NAME2`).
  const restOf = makeRests(columns);
  const firsts = columns.filter(({ by, known }) => by === 'alias' && known === 'name').filter(restOf);
  for (const column of [...doubtful, ...firsts])
    Object.assign(column, { known: null, by: null, guess: column.known ?? column.guess });
  return columns;
}

function meant(means: HeaderMeaning): Pick<Column, 'known' | 'extra'> {
  if (means === null || isKnown(means)) return { known: means };
  return { known: null, extra: means };
}

function clashes({ extra = 'company.' }: Column, other: ExtraField): string {
  return extra === other
    ? `The mapping sends two columns as ${extra}: keep one of them, or give one another path.`
    : `The mapping sends one column as ${other} and this one as ${extra}, and a request cannot hold both fields: keep one of them, or give one another path.`;
}

/** The normal form of the column's name. It is '' if the mapping gives the column another meaning than the known column of this name. */
function ownMeaning({ written, by }: Column): string {
  const name = plainName(written);
  return by === 'map' && isKnown(name) ? '' : name;
}

/** Whether the name certainly means a known column, and is only a guess because another column of the file may mean the same one. */
const isGivenTwice = ({ written, guess }: Column): boolean => guess !== null && aliasOf(written) === guess;

const RESULTS_FILE =
  'This is a results file: its column state holds what became of each request, not a part of an address. Correct and import the file that report --format errors-csv writes, or your own file of buyers.';

/**
 * The problem of a column name that contains lines of the file, since its quotation mark is closed too late. A column name may have two
 * lines, but a delimiter on the second shows a line of the file.
 */
function swallowed(line: number, cell: string, delimiter: Delimiter): Problem[] {
  const message = 'This column name holds whole lines of the file: close the quotation mark at the end of the name.';
  const [, ...below] = cell.split(LINE_BREAK);
  return below.some((one) => one.includes(delimiter)) ? [makeProblem(line, null, cell, message)] : [];
}

const writtenOf = (cell: string): string => cell.toWellFormed().trim();

/** Mapping entries without a header. An entry for a column that the file now lacks is a problem, others a warning. */
function unmatchedOf(
  header: RawRecord,
  columns: Column[],
  { unmatched, delimiter }: MatchedMapping & { delimiter: Delimiter },
) {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  for (const entry of unmatched) {
    // An errors file already has our names in place of mapped headers, and may be read with the same mapping again.
    const isGiven = columns.some(({ known, extra, by }) => (known ?? extra) === entry.means && by === 'name');
    if (entry.means === null) warnings.push(lacking(header, entry, delimiter));
    else if (!isGiven) problems.push(lacking(header, entry, delimiter));
  }
  return { problems, warnings };
}

function lacking(header: RawRecord, { written, means }: MappingEntry, delimiter: Delimiter): Problem {
  const meaning = means ?? "none of Limitline's columns";
  const names = header.cells.map(writtenOf).filter((name) => name !== '');
  const others = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} others` : '';
  const has = `${names.slice(0, MAX_NAMED).join(', ')}${others}`;
  const message = `The mapping says that ${written} is ${meaning}, but the header has no such name. Its names are ${has}. Correct the mapping or the header.`;
  return makeProblem(header.line, written, header.cells.join(delimiter), message);
}

/** Names that a message lists: as many as a person reads through. */
const MAX_NAMED = 20;

function named(line: number, name: string, earlier: Column, later: Column): Problem {
  const places = `in columns ${earlier.index + 1} and ${later.index + 1}`;
  // The mapped column is intended. The other may be the team's own, which a mapping entry can say.
  const own = [earlier, later].find(({ by }) => by === 'name');
  const isNamed = own !== undefined && earlier.written !== later.written;
  const remedy = isNamed ? `keep one of them, or say --map "${own.written}=" if that one is not meant` : KEEP_ONE;
  return makeProblem(line, later.written, later.written, `The header names ${name} twice, ${places}: ${remedy}.`);
}

const KEEP_ONE = 'keep one of them';

/** Whether all columns of a header stand in one cell: in a CSV whose lines are quoted as a whole, or in column A of a workbook. */
function isInOneCell(cells: readonly string[]): boolean {
  const [only = '', ...others] = cells.filter((cell) => cell.trim() !== '');
  return others.length === 0 && only.split(/[;,\t|]/).filter((name) => isKnownName(name.trim())).length > 1;
}

const IN_ONE_CELL =
  'All columns stand in one cell, so none is found. Export the file again from its source, or divide the cells in Excel (Data, Text to Columns).';

/** The problem of a line without any known name, in place of one for each column that it lacks: it may well be data. */
function noHeader([first, ...others]: string[]): string {
  const names = [first, ...others].join(', ');
  const too = others.length > 0 ? `, and the same for ${others.join(' and ')}` : '';
  return `This line does not look like a header: it names none of the needed columns (${names}). If the file has no header, add a line of column names above its data. If the names stand on another line, say which with --header-line N. If these are names, correct them, or say with --map "HEADER=${first}" which column it is${too}.`;
}

function remedyFor(name: string, columns: Column[]): string {
  // Columns that Limitline itself needs are known ones. The setting may ask for the team's own, or be mistyped.
  if (!isKnown(name))
    return `The setting REQUIRED_COLUMNS asks for it: add it, or correct the setting. Limitline's own columns are ${KNOWN_COLUMNS.join(', ')}.`;
  const guessed = columns.filter((column) => column.guess === name);
  const meant = guessed.filter(({ thousands }) => !thousands).map((column) => column.written);
  const alike = guessed.filter(({ written }) => written === meant[0]).slice(0, MAX_NAMED);
  // --map names columns by their headers, so it cannot tell these apart.
  if (alike.length > 1) {
    const places = alike.map(({ index }) => index + 1).join(' and ');
    return `Columns ${places} have the same name, ${meant[0]}, and any of them may be meant: rename or remove those that are not.`;
  }
  const restOf = makeRests(columns);
  const part = name === 'name' ? columns.find((column) => column.guess === 'name' && restOf(column)) : undefined;
  if (part) {
    const [first, rest] = [part.written, restOf(part)?.written];
    return `${first} may be meant, and ${rest} may hold the rest of it. Join the two in one column. If ${first} alone is the name, say --map "${first}=name".`;
  }
  // Several columns may hold the names. Proposing the first one could make customer numbers the names, as with Debitor beside Firma.
  if (meant.length > 1)
    return `${meant.join(' or ')} may be meant: say with --map "HEADER=${name}" which column it is.`;
  if (meant.length > 0) return `${meant[0]} may be meant: say so with --map "${meant[0]}=${name}".`;
  if (guessed[0]) return `${guessed[0].written} is not proposed: its ${THOUSANDS}`;
  const remedy = `Add it, correct its spelling, or say with --map "HEADER=${name}" which column it is.`;
  // With hardly any known name, this may not be a header at all.
  const isHeader = columns.filter(({ known, guess }) => known ?? guess).length > 1;
  return isHeader ? remedy : `${remedy} If the names stand on another line, say which with --header-line N.`;
}

function question(line: number, { written, guess, known, thousands }: Column): Problem[] {
  if (thousands && known === 'requested_limit') return [makeProblem(line, written, null, `The column's ${THOUSANDS}`)];
  if (guess === null || known !== null) return [];
  if (thousands) return [makeProblem(line, written, null, `The column's ${THOUSANDS} Until then it is not used.`)];
  const message = `This column may be meant as ${guess}, but is not used as that unless you say so with --map "${written}=${guess}".`;
  return [makeProblem(line, written, null, message)];
}

const THOUSANDS =
  'name says that its amounts are in thousands or millions, but amounts are sent exactly as written: write them in full, and name the column requested_limit.';
