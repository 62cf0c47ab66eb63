import type { RowProblem, RowState } from './row.ts';

/**
 * Why a portfolio paused itself. `refused alike`: the first answers at a step were all refused with the same status. `not ours`: answers to
 * limit calls did not match the requests. `first rows`: its first rows are finished.
 */
export type SelfPause =
  | { is: 'refused alike'; step: string; status: number }
  | { is: 'not ours' }
  | { is: 'first rows' };

/** This many answers in a row that do not match their requests mean that requests or answers are mixed up. */
export const MOST_NOT_OURS = 10;

/** The pause reason after so many such answers. It is stored, and {@link pausedItself} recognizes it. */
export const NOT_OURS_WORDS = `${MOST_NOT_OURS} limits in a row were answered with another company, another amount or the id of another limit; see what is held, and whether SERVICE_ANSWER_CHECK=warn is right for this service`;

/** The most characters of an answer's body in a pause reason. */
const MOST_OF_BODY = 200;

/** The pause reason after so many first answers of a step were refused with one status. It ends with the beginning of the service's text. */
export function refusedAlikeWords(
  refusals: number,
  step: RowState,
  { status, message, body }: Pick<RowProblem, 'status' | 'message' | 'body'>,
): string {
  const said = body ? `: ${body.slice(0, MOST_OF_BODY)}` : '';
  // The text that the message has after the status says what a person can do.
  const [, advice = ''] = message.split(`status ${status}`);
  return `the first ${refusals} answers at the step ${step} were all refused with status ${status}${advice}${said}`;
}

/**
 * Why a portfolio paused itself, by the pause reason that is stored; undefined if a person paused it, or it is not paused.
 *
 * @param paused the beginning of the reason is enough
 * @param firstOver the reason that was stored when its first rows were finished
 */
export function pausedItself(paused: string, firstOver: string): SelfPause | undefined {
  if (paused === '') return undefined;
  if (paused === firstOver) return { is: 'first rows' };
  if (NOT_OURS_WORDS.startsWith(paused)) return { is: 'not ours' };
  const [, step, status] = REFUSED_ALIKE.exec(paused) ?? [];
  return step === undefined ? undefined : { is: 'refused alike', step, status: Number(status) };
}

const REFUSED_ALIKE = /^the first \d+ answers at the step (\w+) were all refused with status (\d{3})/;

/** The warning if rows of a paused portfolio are put back. */
export const UNTIL_RESUMED = 'The portfolio is paused: nothing of it goes before somebody resumes it.';
