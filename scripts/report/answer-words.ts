import { counted, grouped } from '../../src/counted.ts';
import { APPROVED } from '../../src/ledger/counts/sums.ts';
import type { Summary } from '../../src/ledger/portfolios/summary.ts';
import { visible } from '../../src/portfolio/problem.ts';

/** More kinds of answer than a person takes in are told as one sum; the results file has them all. */
const KINDS_TOLD = 10;

/** `3 under review, 1 without a status`: the answers by status, as the service wrote them; empty where there was none. */
export function answerCountWords({ statuses, states, before }: Summary): string {
  const now = listed([...Object.entries(statuses), ['', withoutStatus({ statuses, states })]]);
  const earlier = listed(Object.entries(before.statuses));
  return [now, earlier === '' ? '' : `before: ${earlier}`].filter((words) => words !== '').join('; ');
}

/**
 * What a person should look at though all was answered, one phrase each: answers that are no approval, and limits below
 * their request. Status 0 says only that everything was answered.
 */
export function notQuiteGranted({ statuses, states, before, grantedBelow, grantedNothing }: Summary): string[] {
  const counts = new Map<string, number>([['', withoutStatus({ statuses, states })]]);
  for (const [status, count] of [...Object.entries(statuses), ...Object.entries(before.statuses)]) {
    if (status !== APPROVED) counts.set(status, (counts.get(status) ?? 0) + count);
  }
  const others = listed([...counts]);
  return [
    ...(others === '' ? [] : [`not approved: ${others}`]),
    ...(grantedBelow === 0 ? [] : [`${counted(grantedBelow, 'limit')} granted below the request`]),
    ...(grantedNothing === 0 ? [] : [`${counted(grantedNothing, 'limit')} approved with nothing granted`]),
  ];
}

/** Answers in which the service named no status. */
function withoutStatus({ statuses, states }: Pick<Summary, 'statuses' | 'states'>): number {
  return states.done - Object.values(statuses).reduce((sum, count) => sum + count, 0);
}

function listed(counts: [status: string, count: number][]): string {
  const some = counts.filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a);
  const words = some.slice(0, KINDS_TOLD).map(([status, count]) => `${grouped(count)} ${statusWords(status)}`);
  const rest = some.slice(KINDS_TOLD).reduce((sum, [, count]) => sum + count, 0);
  if (rest > 0) words.push(`${grouped(rest)} of other statuses`);
  return words.join(', ');
}

/** A status may be any text: it is the service's. */
function statusWords(status: string): string {
  return status === '' ? 'without a status' : visible(status).slice(0, 60);
}
