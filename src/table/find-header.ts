import type { RawRecord } from './records.ts';

/** Number of lines at the beginning of a table in which its header is searched. Above the header may be a title, a date or a logo. */
export const HEADER_WITHIN_LINES = 20;

/** The unread part above the header: its first and last line, and its texts. */
export type Above = { from: number; to: number; texts: string[] };

/** The hints for finding the header: its line, if a person gave it, and the known column names. */
export type GivenHeader = { headerLine?: number | undefined; vocabulary: Pick<Vocabulary, 'judgeHeader'> };

/**
 * Finds the header among the first records: the first record that names all needed columns; else the one with the most
 * known columns. A record other than the first must qualify as a header (`canBe`), because a cell may equal a column
 * name.
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

/** The lines above the header with their texts; null if there are none. */
export function aboveOf(
  records: readonly Pick<RawRecord, 'line' | 'cells'>[],
  { from, header }: { from: number; header: number },
): Above | null {
  const above = records.filter(({ line }) => line < header);
  if (above.length === 0) return null;
  const texts = above.map(({ cells }) => cells.map((cell) => cell.trim()).filter((cell) => cell !== ''));
  return { from, to: header - 1, texts: texts.map((cells) => cells.join(' ')) };
}

/**
 * What a table's words mean, as far as reading needs it. The readers know bytes, cells and lines; the caller knows the
 * subject.
 */
export type Vocabulary = {
  /** Rates how likely a record is the header. */
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
