import type { RawRecord } from './records.ts';

/** Number of lines at the beginning of a table in which its header is searched. Above the header may be a title, a date or a logo. */
export const HEADER_WITHIN_LINES = 20;

/** The unread part above the header: its first and last line, its texts, and the first of its lines that read like a list of their own. */
export type Above = { from: number; to: number; texts: string[]; list?: number };

/** The hints for finding the header: its line, if a person gave it, and the known column names. */
export type GivenHeader = { headerLine?: number | undefined; vocabulary: Pick<Vocabulary, 'judgeHeader'> };

/**
 * Finds the header among the first records: the first record that names all needed columns; else the one with the most known columns. A
 * record other than the first must qualify as a header (`canBe`), because a cell may equal a column name.
 *
 * @returns the header's index among the records; 0 if none stands out.
 */
export function findHeader(records: readonly RawRecord[], { judgeHeader }: GivenHeader['vocabulary']): number {
  let best = { place: 0, score: -1 };
  for (const [place, record] of records.entries()) {
    if (record.line > HEADER_WITHIN_LINES) break;
    const { score, isComplete, canBe } = judgeHeader(record);
    if (isComplete) return place;
    if (score > best.score && (place === 0 || canBe)) best = { place, score };
  }
  return best.place;
}

type HeaderFound = { from: number; header: number; width?: number; vocabulary?: Pick<Vocabulary, 'judgeHeader'> };

/** The lines above the header with their texts; null if there are none. @param width the header's number of names */
export function aboveOf(
  records: readonly Pick<RawRecord, 'line' | 'cells'>[],
  { from, header, width = CELLS_OF_LIST, vocabulary }: HeaderFound,
): Above | null {
  const above = records.filter(({ line }) => line < header);
  if (above.length === 0) return null;
  const texts = above.map(({ cells }) => cells.map((cell) => cell.trim()).filter((cell) => cell !== ''));
  const mayHead = (record: (typeof above)[number], at: number) =>
    !isOfList(texts[at] ?? []) && vocabulary?.judgeHeader({ ...record, fault: null }).canBe;
  const head = above.findIndex(mayHead);
  const least = Math.max(2, Math.min(width, CELLS_OF_LIST));
  const asWide = (cells: readonly string[]) => cells.length >= (texts[head]?.length ?? 0);
  const headed = above.find((_record, at) => head !== -1 && at > head && isOfList(texts[at] ?? [], 2, asWide));
  // Beside amounts of lines with several cells, what could be a year is an amount as well.
  const isNoYear = (cells: readonly string[]) =>
    cells.length >= CELLS_OF_LIST && texts.some((one) => isOfList(one, CELLS_OF_LIST));
  const [first, ...more] = above.filter((_record, at) => isOfList(texts[at] ?? [], least, isNoYear));
  const list = headed ?? (more.length + 1 >= LINES_OF_LIST ? first : undefined);
  return { from, to: header - 1, texts: texts.map((cells) => cells.join(' ')), ...(list && { list: list.line }) };
}

/** So many lines with amounts are a list, also without names of columns above them. */
const LINES_OF_LIST = 3;

/** The filled cells of such a line, or as many as the header has. A name and a value are metadata: `Company code | 1000`. */
const CELLS_OF_LIST = 3;

/**
 * Whether filled cells read like a line of a list: several, one of them an amount. `As of: | 2026` and a date are metadata of a list.
 * @param isNoYear whether what could be a year is an amount in this line; by default it is a year
 */
function isOfList(cells: readonly string[], least = 2, isNoYear = (_cells: readonly string[]) => false): boolean {
  const [first = ''] = cells;
  const isAmount = (cell: string) => AMOUNT.test(cell) && !DATE.test(cell) && (!YEAR.test(cell) || isNoYear(cells));
  return cells.length >= least && !first.endsWith(':') && cells.some(isAmount);
}

/** A number with or without a currency. A single digit is no amount, since it counts something; nor is a telephone number, which begins with 0. */
const AMOUNT = /^(?:[A-Z]{3}|[€$£])? ?[1-9][\d.,'’\s]+(?:[A-Z]{3}|[€$£])?$/;
/** A date with dots, and a year, which a title says of its list. */
const DATE = /^\d{1,2}\. ?\d{1,2}\. ?\d{2,4}$/;
const YEAR = /^(?:19|20)\d\d$/;

/** What a table's words mean, as far as reading needs it. The readers know bytes, cells and lines; the caller knows the subject. */
export type Vocabulary = {
  judgeHeader(record: Pick<RawRecord, 'cells' | 'fault'>): HeaderJudgement;
  /** Whether a word beside a number means thousands or millions, such as `T€`. */
  saysThousands(word: string): boolean;
  /** Whether a word in a number format is a currency's sign, code or name. */
  namesCurrency(word: string): boolean;
};

/** How likely a record is a header. */
export type HeaderJudgement = {
  /** The number of known columns that its cells name; guesses count half. */
  score: number;
  /** Whether it names all needed columns. Then it is the header, and the search ends. */
  isComplete: boolean;
  /** Whether it may be the header although other records come before it. */
  canBe: boolean;
};
