import type { RawRecord } from './records.ts';

/**
 * What the words of a table mean, as far as reading it takes that. The readers here know bytes, cells and lines; whoever
 * opens a table knows what it is about.
 */
export type Vocabulary = {
  /** How much a record is like the header of such a table. */
  judgeHeader(record: Pick<RawRecord, 'cells' | 'fault'>): HeaderJudgement;
  /** Whether a word beside a number says that it is in thousands or millions, such as `T€`. */
  saysThousands(word: string): boolean;
};

/** How much a record is like a header. */
export type HeaderJudgement = {
  /** How many known columns its cells name. */
  score: number;
  /** Whether it names all columns that are needed: then it is the header, and nothing else is looked at. */
  isComplete: boolean;
  /** Whether it may be the header though other records stand above it. */
  canBe: boolean;
};
