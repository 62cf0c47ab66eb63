import { createHash } from 'node:crypto';
import type { LedgerPlace } from '../schema/keys.ts';
import { pairsAsFields, readAtOnce } from '../schema/redis-reads.ts';
import type { RowProblem, RowRequest, Step } from '../schema/row.ts';
import type { RowId } from '../schema/schema.ts';
import { answerWords, rowlessWords } from './answer-words.ts';
import { readCauseSums } from './sums.ts';

/**
 * The outcome of the call at which a row failed. `refused`: by the service. `unknown`: the outcome is not known. `put off`: by the service,
 * again and again. `other`: the thing was made before for another line. `ours`: an error in Limitline.
 */
const CAUSE_MEANINGS = ['refused', 'unknown', 'put off', 'other', 'ours'] as const;
export type CauseMeaning = (typeof CAUSE_MEANINGS)[number];

/** A cause that groups failed rows. `status` is the service's, null for none. */
export type RowCause = {
  /** The id of the cause, eight digits or small letters. The same cause has the same id in every portfolio and process. */
  id: string;
  step: Step;
  meaning: CauseMeaning;
  status: number | null;
  /** The words of the response, with `…` for what differs from row to row; at most 200 characters. */
  words: string;
};

/** A cause, and a coarse one of step, meaning and status only, for portfolios with too many causes. */
export type FoundCause = RowCause & { coarse: RowCause };

/** Most characters of a cause's words: enough to recognize an error, and few enough to list many. */
const MOST_CHARACTERS = 200;

/**
 * The cause of a row's failure: step, meaning, status, and the words of the response without the values of the row's own request, ids,
 * times and long numbers (answer-words.ts). Pure, and the same for all rows that failed alike.
 */
export function causeOf(problem: RowProblem, meaning: CauseMeaning, request: RowRequest): FoundCause {
  const heard = heardOf(problem, meaning);
  // The status with which an answer broke off is no value of the row, even if the row asks for as much.
  const brokeOff = heard.status === null ? (BROKE_OFF.exec(heard.words)?.[0] ?? '') : '';
  const before = heard.words.slice(0, heard.words.length - brokeOff.length);
  const words = shortened(`${rowlessWords(before, request)}${brokeOff}`);
  const { step } = problem;
  const of = (said: string): RowCause => {
    const { status } = heard;
    return { id: idOf([step, meaning, String(status), said]), step, meaning, status, words: said };
  };
  return { ...of(words), coarse: of('') };
}

/**
 * The meaning of a stored problem, read from its message; undefined if it is no failure, such as the problem of a replaced row. The
 * messages are those of jobs/steps (row-problem.ts, and giveUpRow of step.ts).
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

/** Status and words of a problem, depending on its meaning. */
function heardOf(
  { message, status, body }: RowProblem,
  meaning: CauseMeaning,
): { status: number | null; words: string } {
  switch (meaning) {
    case 'refused':
      return { status: status ?? null, words: answerWords(body ?? '') };
    case 'unknown': {
      const reason = message.replace(/^[\s\S]*? was made: (?:sent \S+, then )?/, '').replace(OF_ANOTHER_ROW, '');
      // The first status is that of the response. A later one is part of the message.
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

/** Why an outcome is unknown, as src/service/answer-meaning.ts writes it: `status 500 (a hint): body`, `status 200, but why: body`. */
const ANSWERED = /^status (\d{3})(?:, (but [^:]*))?(?: \(if this service [^)]*\))?(?:: ([\s\S]*))?$/;

/** The end of why an outcome is unknown if the call was sent for another row (jobs/steps/row-problem.ts). */
const OF_ANOTHER_ROW = /; it was sent for (?:row|the supplier of portfolio) [^;]*, which asks for something else$/;

/** The end of why an outcome is unknown if the answer broke off behind its status. */
const BROKE_OFF = / after status \d{3}$/;

function shortened(words: string): string {
  if (words.length <= MOST_CHARACTERS) return words;
  // Cut between words: half a word could differ from row to row.
  const cut = words.slice(0, MOST_CHARACTERS - 1);
  const space = cut.lastIndexOf(' ');
  const kept = space > MOST_CHARACTERS / 2 ? cut.slice(0, space) : cut.replace(/[\ud800-\udbff]$/, '');
  return `${kept.trimEnd()}…`;
}

/** The id of a cause. It has 41 bits: among 200 causes of a portfolio, two equal ids are less likely than one in 10^8. */
function idOf(parts: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  return (digest.readBigUInt64BE() % 36n ** 8n).toString(36).padStart(8, '0');
}

/** A cause, the number of its rows, and the sum that they requested, as exact decimal text. */
export type Cause = RowCause & { rows: number; sum: string };

/** The number of rows whose cause says that an answer of success (a status 2xx) came: also one that broke off, which has no status. */
export function answeredRows(causes: readonly Pick<Cause, 'meaning' | 'status' | 'words' | 'rows'>[]): number {
  const isAnswered = ({ meaning, status, words }: Pick<Cause, 'meaning' | 'status' | 'words'>) =>
    meaning === 'unknown' && (status === null ? / after status 2\d\d$/.test(words) : status >= 200 && status < 300);
  return causes.filter(isAnswered).reduce((rows, cause) => rows + cause.rows, 0);
}

/** Reads the causes of portfolios. The scripts that move rows write them (lua/note-cause.lua), and their sums (lua/derive.lua). */
export function makeCauses({ connection, keys }: LedgerPlace) {
  return {
    /** The causes that rows of the portfolio have now, the one with most rows first. */
    async read(name: string): Promise<Cause[]> {
      const hashes = [keys.causes(name), keys.sums(name, 'a'), keys.sums(name, 'b')];
      const { answers } = await readAtOnce(
        connection,
        hashes.map((key) => ['HGETALL', key] as const),
      );
      const [known = {}, ...sides] = answers.map(pairsAsFields);
      const sumOf = readCauseSums(sides);
      return Object.entries(known)
        .map(([id, text]): Cause => ({ id, ...(JSON.parse(text) as Omit<RowCause, 'id'>), ...sumOf(id) }))
        .filter(({ rows }) => rows > 0)
        .sort((one, other) => other.rows - one.rows || (one.id < other.id ? -1 : 1));
    },
  };
}

/** The arguments of scripts for a cause: its id and description, and those of the coarse cause. */
export function causeArgs({ coarse, ...fine }: FoundCause): string[] {
  return [fine.id, knownOf(fine), coarse.id, knownOf(coarse)];
}

function knownOf({ step, meaning, status, words }: RowCause): string {
  return JSON.stringify({ step, meaning, status, words });
}

/** An example of a row that failed for a cause. */
export type CauseSample = { row: RowId; line: number };

/** The first row of each of these causes, by line; undefined for a cause without rows. */
export async function readCauseSamples(
  name: string,
  causes: readonly string[],
  { connection, keys }: LedgerPlace,
): Promise<(CauseSample | undefined)[]> {
  const firsts = await Promise.all(
    causes.map((cause) => connection.zrange(keys.rowsOfCause(name, cause), '0', '0', 'WITHSCORES')),
  );
  return firsts.map(([key, line]) =>
    key === undefined ? undefined : { row: { portfolio: name, key }, line: Number(line) },
  );
}
