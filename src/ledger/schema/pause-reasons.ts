import type { RowProblem, RowState } from './row.ts';

/**
 * Why a portfolio paused itself: its first answers of a step were refused alike, limits were answered as somebody else's, or its first
 * rows are at an end.
 */
export type SelfPause =
  | { is: 'refused alike'; step: string; status: number }
  | { is: 'not ours' }
  | { is: 'first rows' };

/** So many limits in a row that were answered as somebody else's: what is sent, or what answers, is mixed up. */
export const MOST_NOT_OURS = 10;

/** What a portfolio says of which so many limits in a row were answered so. */
export const NOT_OURS_WORDS = `${MOST_NOT_OURS} limits in a row were answered with another company, another amount or the id of another limit; see what is held, and whether SERVICE_ANSWER_CHECK=warn is right for this service`;

/** A pause quotes no more than this of the service's answer. */
const MOST_OF_BODY = 200;

/** What a portfolio says of which so many first answers of a step were all refused with one status; of the service's words a little. */
export function refusedAlikeWords(
  refusals: number,
  step: RowState,
  { status, message, body }: Pick<RowProblem, 'status' | 'message' | 'body'>,
): string {
  const said = body ? `: ${body.slice(0, MOST_OF_BODY)}` : '';
  // What the message adds to the status is what a person can do about it.
  const [, advice = ''] = message.split(`status ${status}`);
  return `the first ${refusals} answers at the step ${step} were all refused with status ${status}${advice}${said}`;
}

/**
 * Why a portfolio paused itself, by what it says; nothing where a person paused it, or it goes on.
 *
 * @param paused the beginning of its words is enough
 * @param firstOver what it said when its first rows were at an end
 */
export function pausedItself(paused: string, firstOver: string): SelfPause | undefined {
  if (paused === '') return undefined;
  if (paused === firstOver) return { is: 'first rows' };
  if (NOT_OURS_WORDS.startsWith(paused)) return { is: 'not ours' };
  const [, step, status] = REFUSED_ALIKE.exec(paused) ?? [];
  return step === undefined ? undefined : { is: 'refused alike', step, status: Number(status) };
}

const REFUSED_ALIKE = /^the first \d+ answers at the step (\w+) were all refused with status (\d{3})/;

/** What people are told before rows of a paused portfolio are put back, and when they are. */
export const UNTIL_RESUMED = 'The portfolio is paused: nothing of it goes before somebody resumes it.';
