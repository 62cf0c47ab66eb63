import { counted, grouped } from '../../src/counted.ts';
import type { Summary } from '../../src/ledger/portfolios/summary.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { APPROVED } from '../../src/status-meaning.ts';

/** Statuses listed; further ones are added up. The results file has all. */
const KINDS_TOLD = 10;

/** Answers by status, as the service wrote it: `3 under review, 1 without a status`; empty without any. */
export function answerCountWords({ statuses, states, before }: Summary): string {
  const now = listed([...Object.entries(statuses), ['', withoutStatus({ statuses, states })]]);
  const earlier = listed(Object.entries(before.statuses));
  return [now, earlier === '' ? '' : `before: ${earlier}`].filter((words) => words !== '').join('; ');
}

/**
 * Phrases about answers that a person should look at: no approvals, and limits below the request. Exit status 0 only means that
 * everything was answered.
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

/** The number of answers without a status. */
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

/** A status is the service's text and may be anything. */
function statusWords(status: string): string {
  return status === '' ? 'without a status' : visible(status).slice(0, 60);
}
