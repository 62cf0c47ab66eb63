import { Big } from 'big.js';
import { counted, grouped, moneyText } from '../../counted.ts';
import { type Meanings, statusMeaningOf } from '../../status-meaning.ts';
import { exactText } from './outcome-sums.ts';
import { type AnswerSum, rowsOfAnswers } from './sums.ts';

/**
 * Sentences on what the sums of answers do not show: how much was granted above the requests, and why the outcome of some limits is not
 * known.
 *
 * @param bring how a status is brought, a sentence behind that of limits without one
 * @param currency the currency, if all files name the same one
 */
export function answerNotes(
  answers: readonly AnswerSum[],
  meanings: Meanings,
  { bring, currency }: { bring: string; currency: string | undefined },
): string[] {
  const meaningOf = ({ status }: AnswerSum) => statusMeaningOf(status, meanings);
  const approved = answers.filter((answer) => meaningOf(answer) === 'approved');
  // Each of these limits is at least as large as its request, so the difference of the two sums was granted above the requests.
  const whole = approved.filter(({ share }) => share === 'all');
  const above = exactText(whole.flatMap(({ granted, requested }) => [granted, `-${requested}`]));
  const unread = rowsOfAnswers(approved.filter(({ share }) => share === 'unknown'));
  const open = answers.filter((answer) => meaningOf(answer) === undefined);
  const unexplained = rowsOfAnswers(open.filter(({ status }) => status !== ''));
  const bare = rowsOfAnswers(open.filter(({ status }) => status === ''));
  return [
    ...(new Big(above).gt(0)
      ? [`More was granted than requested: ${moneyText(above, currency)} above the requests.`]
      : []),
    ...(unread > 0
      ? [
          `Of ${counted(unread, 'approved limit')} the service named no amount that can be read: how much was granted is not known.`,
        ]
      : []),
    ...(unexplained + bare > 0
      ? [
          `Of ${counted(unexplained + bare, 'limit')} the outcome is not known: ${whyOpen(unexplained, bare)}.${bare > 0 ? bring : ''}`,
        ]
      : []),
  ];
}

function whyOpen(unexplained: number, bare: number): string {
  if (unexplained === 0) return 'no status is known';
  if (bare === 0) return `nobody has said what ${unexplained === 1 ? 'its' : 'their'} status means`;
  return `nobody has said what the status of ${grouped(unexplained)} means, and ${counted(bare, 'has', 'have')} no status`;
}
