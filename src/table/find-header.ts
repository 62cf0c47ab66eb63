import type { RawRecord } from './records.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A table's first records are looked through for the header up to this line: above it are a title and a date, or a logo. */
export const HEADER_WITHIN_LINES = 20;

/** What is above the header and is not read: its first and last line, and the texts of those that are not blank. */
export type Above = { from: number; to: number; texts: string[] };

/** What is known of the header: its line, where a person named it, and what its names mean. */
export type GivenHeader = { headerLine?: number | undefined; vocabulary: Pick<Vocabulary, 'judgeHeader'> };

/**
 * Finds the header among the first records of a file. The first record is it as soon as it names the columns that are
 * needed, and so is any below it; where none does, that which names the most known ones, and the first of these. Another than
 * the first has to be one that can be a header, since a cell of a list may be called like a column.
 *
 * @returns the header's place among the records; 0 where none stands out.
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

/** The lines from the first to the header, and what is there; null where they are blank. */
export function aboveOf(
  records: readonly Pick<RawRecord, 'line' | 'cells'>[],
  { from, header }: { from: number; header: number },
): Above | null {
  const above = records.filter(({ line }) => line < header);
  if (above.length === 0) return null;
  const texts = above.map(({ cells }) => cells.map((cell) => cell.trim()).filter((cell) => cell !== ''));
  return { from, to: header - 1, texts: texts.map((cells) => cells.join(' ')) };
}
