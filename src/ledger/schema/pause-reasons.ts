import type { RowProblem, RowState } from './row.ts';

/**
 * Why a portfolio paused itself: the first responses of a step were all refused alike, limit responses belonged to other requests, or
 * the rows that were to go first have ended.
 */
export type SelfPause =
  | { is: 'refused alike'; step: string; status: number }
  | { is: 'not ours' }
  | { is: 'first rows' };

/** This many limit responses in a row that belong to other requests pause the portfolio: requests or responses are mixed up. */
export const MOST_NOT_OURS = 10;

/**
 * The pause reason of a portfolio with {@link MOST_NOT_OURS} responses in a row that belong to other requests. Redis keeps these words, so
 * they stay.
 */
export const NOT_OURS_WORDS = `${MOST_NOT_OURS} limits in a row were answered with another company, another amount or the id of another limit; see what is held, and whether SERVICE_ANSWER_CHECK=warn is right for this service`;

/** Characters of a response body that a pause reason quotes. */
const MOST_OF_BODY = 200;

/** The pause reason if the first responses of a step were all refused with one status; quotes the beginning of the body. */
export function refusedAlikeWords(
  refusals: number,
  step: RowState,
  { status, message, body }: Pick<RowProblem, 'status' | 'message' | 'body'>,
): string {
  const said = body ? `: ${body.slice(0, MOST_OF_BODY)}` : '';
  // In the message, the words after the status say what a person can do.
  const [, advice = ''] = message.split(`status ${status}`);
  return `the first ${refusals} answers at the step ${step} were all refused with status ${status}${advice}${said}`;
}

/**
 * Why a portfolio paused itself, read from its pause reason; undefined if a person paused it, or it is not paused.
 *
 * @param paused the pause reason; its beginning is enough
 * @param firstOver the reason that the portfolio gave when its first rows had ended
 */
export function pausedItself(paused: string, firstOver: string): SelfPause | undefined {
  if (paused === '') return undefined;
  if (paused === firstOver) return { is: 'first rows' };
  if (NOT_OURS_WORDS.startsWith(paused)) return { is: 'not ours' };
  const [, step, status] = REFUSED_ALIKE.exec(paused) ?? [];
  return step === undefined ? undefined : { is: 'refused alike', step, status: Number(status) };
}

const REFUSED_ALIKE = /^the first \d+ answers at the step (\w+) were all refused with status (\d{3})/;

/** Why a portfolio is paused, in a word; `none` if it is not. */
export type PauseKind = SelfPause['is'] | 'by request' | 'none';

/** The kind of a portfolio's pause, from its pause reason; see {@link pausedItself}. */
export function pauseKindOf(paused: string, firstOver: string): PauseKind {
  return paused === '' ? 'none' : (pausedItself(paused, firstOver)?.is ?? 'by request');
}

/** The pause reason of a person, with name and time. */
export function pausedBy(name: string, nowMs: number): string {
  return `by request${name && ` of ${name}`}, ${new Date(nowMs).toISOString()}`;
}

/** What people read before and after rows of a paused portfolio are sent again, with who may resume it, if that is known. */
export function untilResumed(by = ''): string {
  return `The portfolio is paused: nothing of it goes before ${by ? `${by} resumes it` : 'it is resumed on its page'}.`;
}
