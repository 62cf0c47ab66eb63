import type { Delimiter } from '../../table/dialect.ts';
import { LINE_BREAK } from '../../table/physical-lines.ts';
import type { RawRecord } from '../../table/records.ts';
import { makeProblem, type Problem } from '../problem.ts';
import { aliasOf, headerMeaningOf } from './aliases.ts';
import type { Column } from './column.ts';
import { makeRests, namesTwice, restsOfNames } from './header-doubts.ts';
import { isKnown, type KnownColumn, plainName } from './known-columns.ts';
import { type MappingEntry, type MatchedMapping, matchMapping } from './match-mapping.ts';
import { isResultsHeader } from './result-columns.ts';

/** What readHeader goes by, beside the header. */
export type HeaderRules = {
  /** Names of columns that must be there and not be empty, own ones included. */
  needed: readonly string[];
  /** The mapping file's word on headers, by the header as written; it is stronger than everything else. */
  columns?: Readonly<Record<string, KnownColumn | null>>;
  /** Columns that every line has without the file giving them. */
  constants?: Readonly<Partial<Record<KnownColumn, string>>>;
  /** What separates the file's cells; a comma if it is left out. */
  delimiter?: Delimiter | undefined;
  /** Places of columns that mean nothing here, whatever they are called: those that a results file of ours adds. */
  foreign?: ReadonlySet<number> | undefined;
};

/**
 * Tells the columns by the header: by the mapping; by our own names, in which case does not matter, spaces and hyphens
 * stand for underscores, and the service's dotted names (`address.city`) are understood; by the aliases. A name that is
 * not certain is a warning and not taken. Columns that are not known are kept.
 */
export function readHeader(
  header: RawRecord,
  rules: HeaderRules,
): { columns: Column[]; problems: Problem[]; warnings: Problem[] } {
  const { needed, constants = {}, delimiter = ',', foreign } = rules;
  const entries = matchMapping(header.cells.map(writtenOf), rules.columns ?? {});
  const columns = tellColumns(header, entries, foreign);
  const problems = header.cells.flatMap((cell) => swallowed(header.line, cell.toWellFormed(), delimiter));
  const unmatched = unmatchedOf(header, columns, entries);
  problems.push(...unmatched.problems);
  if (!foreign && isResultsHeader(header.cells)) problems.unshift(makeProblem(header.line, null, null, RESULTS_FILE));
  const wanted = new Set(needed.map(plainName));
  const seen = new Map<string, Column>();
  for (const column of columns) {
    const name = column.known ?? ownMeaning(column);
    const earlier = seen.get(name);
    column.needed = wanted.has(name);
    if (earlier === undefined) seen.set(name, column);
    else if (column.known || column.needed) problems.push(named(header.line, name, earlier, column));
    if (column.known && constants[column.known] !== undefined) {
      const message = `The mapping gives ${name} for every line, and this column gives it too: take one of them away.`;
      problems.push(makeProblem(header.line, column.written, null, message));
    }
  }
  for (const name of wanted) {
    if (seen.has(name) || (isKnown(name) && constants[name] !== undefined)) continue;
    const message = `The column ${name} is needed and the header has no such name. ${remedyFor(name, columns)}`;
    problems.push(makeProblem(header.line, name, header.cells.join(','), message));
  }
  // Those of a results file were told apart before its lines were requested.
  if (!foreign) problems.push(...namesTwice(header.line, columns));
  // Where the column is there for certain, another that may be it is one's own: it is kept, and said to be. One that is it
  // for certain as well is asked for.
  const questions = columns.flatMap((column) =>
    seen.has(column.guess ?? '') && !column.thousands && !isGivenTwice(column) ? [] : question(header.line, column),
  );
  // Nobody is to read amounts in thousands as if they were in full.
  for (const column of columns) if (column.thousands) column.guess = null;
  return { columns, problems, warnings: [...questions, ...restsOfNames(header.line, columns), ...unmatched.warnings] };
}

function tellColumns(header: RawRecord, { entryOf }: MatchedMapping, foreign?: ReadonlySet<number>): Column[] {
  const columns = header.cells.map((cell, index): Column => {
    const written = writtenOf(cell);
    const { known, guess, currency, thousands } = headerMeaningOf(written);
    const column: Column = { index, written, known: null, needed: false, by: null, guess: null, currency, thousands };
    if (foreign?.has(index)) return { ...column, currency: null, thousands: false };
    const name = plainName(written);
    const entry = entryOf(written);
    if (entry) return { ...column, known: entry.known, by: 'map' };
    if (isKnown(name)) return { ...column, known: name, by: 'name' };
    return known ? { ...column, known, by: 'alias' } : { ...column, guess };
  });
  const counts = new Map<KnownColumn | null, number>();
  for (const { known } of columns) counts.set(known, (counts.get(known) ?? 0) + 1);
  // Of two columns that may both be meant, neither is taken by its alias alone.
  const doubtful = columns.filter(({ by, known }) => by === 'alias' && (counts.get(known) ?? 0) > 1);
  // Nor is the first part of a name, where the rest of it stands in another column.
  const restOf = makeRests(columns);
  const firsts = columns.filter(({ by, known }) => by === 'alias' && known === 'name').filter(restOf);
  for (const column of [...doubtful, ...firsts])
    Object.assign(column, { known: null, by: null, guess: column.known ?? column.guess });
  return columns;
}

/** What a column is beside ours; '' for one that is called like one of ours and is none by what the mapping says. */
function ownMeaning({ written, by }: Column): string {
  const name = plainName(written);
  return by === 'map' && isKnown(name) ? '' : name;
}

/** Whether a column's name means one of ours for certain, and was not taken since another means it, too. */
function isGivenTwice({ written, guess }: Column): boolean {
  return guess !== null && aliasOf(written) === guess;
}

const RESULTS_FILE =
  'This is a results file: its column state holds what became of each request, not a part of an address. Correct and import the file that report --format errors-csv writes, or your own file of buyers.';

/** Names may have two lines, as spreadsheets show them; a delimiter on the second is a line below the header. */
function swallowed(line: number, cell: string, delimiter: Delimiter): Problem[] {
  const message = 'This name holds whole lines of the file: close its quotation mark at the end of the name.';
  const [, ...below] = cell.split(LINE_BREAK);
  return below.some((one) => one.includes(delimiter)) ? [makeProblem(line, null, cell, message)] : [];
}

function writtenOf(cell: string): string {
  return cell.toWellFormed().trim();
}

/** What the mapping says of headers that the file lacks: with a column of ours that it lacks then, a problem. */
function unmatchedOf(header: RawRecord, columns: Column[], { unmatched }: MatchedMapping) {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  for (const entry of unmatched) {
    // Errors files have our own names where a mapping explained the headers, and may be given the mapping again.
    const isGiven = columns.some(({ known, by }) => known === entry.known && by === 'name');
    if (entry.known === null) warnings.push(lacking(header, entry));
    else if (!isGiven) problems.push(lacking(header, entry));
  }
  return { problems, warnings };
}

function lacking(header: RawRecord, { written, known }: MappingEntry): Problem {
  const meaning = known === null ? 'none of ours' : known;
  const names = header.cells.map(writtenOf).filter((name) => name !== '');
  const others = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} others` : '';
  const has = `${names.slice(0, MAX_NAMED).join(', ')}${others}`;
  const message = `The mapping says that ${written} is ${meaning}, but the header has no such name. It has ${has}. Correct one of them.`;
  return makeProblem(header.line, written, header.cells.join(','), message);
}

/** As many as a person looks through in one line. */
const MAX_NAMED = 20;

function named(line: number, name: string, earlier: Column, later: Column): Problem {
  const places = `in columns ${earlier.index + 1} and ${later.index + 1}`;
  // What the mapping says is meant; the other may be one's own, which a word on it alone can say.
  const own = [earlier, later].find(({ by }) => by === 'name');
  const isNamed = own !== undefined && earlier.written !== later.written;
  const remedy = isNamed ? `keep one of them, or say --map "${own.written}=" if that one is not meant` : KEEP_ONE;
  return makeProblem(line, later.written, later.written, `The header names ${name} twice, ${places}: ${remedy}.`);
}

const KEEP_ONE = 'keep one of them';

function remedyFor(name: string, columns: Column[]): string {
  const guessed = columns.filter((column) => column.guess === name);
  const meant = guessed.filter(({ thousands }) => !thousands).map((column) => column.written);
  const restOf = makeRests(columns);
  const part = name === 'name' ? columns.find((column) => column.guess === 'name' && restOf(column)) : undefined;
  if (part) {
    const [first, rest] = [part.written, restOf(part)?.written];
    return `${first} may be meant, and ${rest} may hold the rest of it: join the two in one column, or, if ${first} alone is the name, say --map "${first}=name".`;
  }
  if (meant.length > 0) return `${meant.join(' or ')} may be meant: say so with --map "${meant[0]}=${name}".`;
  if (guessed[0]) return `${guessed[0].written} is not proposed: its ${THOUSANDS}`;
  const remedy = `Add it, correct its spelling, or say with --map "HEADER=${name}" which column it is.`;
  // Where hardly a name is one that we know, this is perhaps no header at all.
  const isHeader = columns.filter(({ known, guess }) => known ?? guess).length > 1;
  return isHeader ? remedy : `${remedy} If the names stand on another line, say which with --header-line N.`;
}

function question(line: number, { written, guess, known, thousands }: Column): Problem[] {
  if (thousands && known === 'requested_limit') return [makeProblem(line, written, null, `The column's ${THOUSANDS}`)];
  if (guess === null || known !== null) return [];
  if (thousands) return [makeProblem(line, written, null, `The column's ${THOUSANDS} Until then it is not used.`)];
  const message = `This column may be meant as ${guess}, but is not used as that unless you say so with --map.`;
  return [makeProblem(line, written, null, message)];
}

const THOUSANDS =
  'name says that its amounts are in thousands or millions, but amounts are sent exactly as written: write them in full, and name the column requested_limit.';
