import { createHash } from 'node:crypto';
import type { RowProblem, RowRequest, Step } from '../schema/row.ts';
import { answerWords } from './answer-words.ts';
import { rowlessWords } from './rowless-words.ts';

/**
 * What became of the call at which a row failed: the service said no; nobody knows what became of it; it was put off again and
 * again; the thing was made before for another line; or the fault is ours.
 */
export const CAUSE_MEANINGS = ['refused', 'unknown', 'put off', 'other', 'ours'] as const;
export type CauseMeaning = (typeof CAUSE_MEANINGS)[number];

/** Why rows failed, as one group. `status` is the service's, null where it gave none. */
export type RowCause = {
  /** Eight characters of digits and small letters: the same for the same cause, in any portfolio and process. */
  id: string;
  step: Step;
  meaning: CauseMeaning;
  status: number | null;
  /** The answer's words less what differs from row to row, with `…` in its place; 200 characters at the most. */
  words: string;
};

/** A cause, and the coarse one that it belongs to where a portfolio has too many: step, meaning and status alone. */
export type FoundCause = RowCause & { coarse: RowCause };

/** Enough to know an error by, and little enough to show many of them. */
const MOST_CHARACTERS = 200;

/**
 * Why a row failed, as the group that it belongs to: step, meaning, status, and the answer's words less the values of the row's
 * own request, ids, times and long numbers (rowless-words.ts). Pure, and the same for all rows that failed alike.
 */
export function causeOf(problem: RowProblem, meaning: CauseMeaning, request: RowRequest): FoundCause {
  const heard = heardOf(problem, meaning);
  const words = shortened(rowlessWords(heard.words, request));
  const { step } = problem;
  const of = (said: string): RowCause => {
    const { status } = heard;
    return { id: idOf([step, meaning, String(status), said]), step, meaning, status, words: said };
  };
  return { ...of(words), coarse: of('') };
}

/**
 * The meaning of a problem that was written down earlier, by what it says; nothing where it is no failure, such as that of a row
 * in whose place another stands. The sentences are those of jobs/steps (row-problem.ts and giveUpRow).
 */
export function meaningOfProblem({ message }: Pick<RowProblem, 'message'>): CauseMeaning | undefined {
  return SAID.find(([, pattern]) => pattern.test(message))?.[0];
}

const SAID: readonly (readonly [CauseMeaning, RegExp])[] = [
  ['refused', /^The service refused /],
  ['unknown', /^It is unknown whether /],
  ['put off', /^The service put [\s\S]* off \d+ times \(/],
  ['other', /^changed after it was requested: /],
  ['ours', /^Limitline itself failed at this row: /],
];

/** What the service, or whoever spoke, said of the row's call: its status, and its words as they came. */
function heardOf(
  { message, status, body }: RowProblem,
  meaning: CauseMeaning,
): { status: number | null; words: string } {
  switch (meaning) {
    case 'refused':
      return { status: status ?? null, words: answerWords(body ?? '') };
    case 'unknown': {
      const reason = message.replace(/^[\s\S]*? was made: (?:sent \S+, then )?/, '');
      // The first is the answer's own; what is said of a status behind it is a part of the words.
      const [whole = '', of, but = '', answered = ''] = ANSWERED.exec(reason) ?? [];
      if (of === undefined) return { status: null, words: reason };
      const rest = whole === '' ? '' : answerWords(answered);
      return { status: Number(of), words: [but, rest].filter(Boolean).join(': ') };
    }
    case 'put off': {
      const of = /\(status (\d{3})\)/.exec(message)?.[1];
      return {
        status: of === undefined ? null : Number(of),
        words: 'put off again and again while others of this step passed',
      };
    }
    case 'other':
      return { status: null, words: 'made before for another line of this name, for another buyer or amount' };
    case 'ours':
      return { status: null, words: message.replace(/^Limitline itself failed at this row: /, '') };
  }
}

/** `status 500 (a hint): body`, `status 200, but why: body`, as src/service/meaning.ts writes it. */
const ANSWERED = /^status (\d{3})(?:, (but [^:]*))?(?: \(if this service [^)]*\))?(?:: ([\s\S]*))?$/;

function shortened(words: string): string {
  if (words.length <= MOST_CHARACTERS) return words;
  // Never half a character, nor a place-holder's neighbour that differs from row to row: whole words alone.
  const cut = words.slice(0, MOST_CHARACTERS - 1);
  const space = cut.lastIndexOf(' ');
  const kept = space > MOST_CHARACTERS / 2 ? cut.slice(0, space) : cut.replace(/[\ud800-\udbff]$/, '');
  return `${kept.trimEnd()}…`;
}

/** 41 bits: among the 200 causes of a portfolio, two with one id are less likely than one in 10^8. */
function idOf(parts: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  return (digest.readBigUInt64BE() % 36n ** 8n).toString(36).padStart(8, '0');
}
