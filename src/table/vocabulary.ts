import type { RawRecord } from './records.ts';

/**
 * What a table's words mean, as far as reading needs it. The readers know bytes, cells and lines; the caller knows the
 * subject.
 */
export type Vocabulary = {
  /** Rates how likely a record is the header. */
  judgeHeader(record: Pick<RawRecord, 'cells' | 'fault'>): HeaderJudgement;
  /** Whether a word beside a number means thousands or millions, such as `T€`. */
  saysThousands(word: string): boolean;
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
