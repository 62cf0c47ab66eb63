import { counted } from '../../src/counted.ts';
import { heldRemedy } from '../../src/held-remedy.ts';
import type { Cause } from '../../src/ledger/counts/cause.ts';
import type { Plan } from '../../src/ledger/plans/plan.ts';
import { groupedAmount } from '../../src/money-text.ts';

/** Describes a plan that is not executed. */
export function planWords(plan: Plan): string {
  const { action, portfolio, rows, sum, calls, isExact } = plan;
  if (rows === 0) return `No row of portfolio ${portfolio} that this chooses can be ${DONE[action]}.`;
  const atLeast = isExact ? '' : 'at least ';
  const what = `${atLeast}${counted(rows, 'row')} of portfolio ${portfolio}, ${groupedAmount(sum)} in all,`;
  const all = calls.company + calls.document + calls.limit;
  const leads = action === 'cancel' ? '' : `: ${atLeast}${counted(all, 'call')}`;
  const would = `${what[0]?.toUpperCase()}${what.slice(1)} would be ${DONE[action]}${leads}.`;
  return [would, ...approvedFirst(plan), 'Nothing was done.'].join(' ');
}

/** Tells that another person has to approve, and why; empty if nobody has to. */
export function approvedFirst({ approval }: Plan): string[] {
  return approval === undefined ? [] : [`Another person approves it first. ${approval}`.trimEnd()];
}

const DONE: Readonly<Record<Plan['action'], string>> = {
  retry: 'sent again',
  cancel: 'cancelled',
  resend: 'sent again',
};

/** A plan in JSON. */
export function plannedOf({ rows, sum, isExact, calls, made, approval }: Plan) {
  return { rows, sum, isExact, calls, made, ...(approval === undefined ? {} : { approval }) };
}

export function cancelledWords(portfolio: string, rows: number): string {
  return `${counted(rows, 'row')} of portfolio ${portfolio} ${rows === 1 ? 'is' : 'are'} cancelled; importing them again brings them back.`;
}

/** Tells of a cause's held rows, which need a person's answer and are in no plan; '' if there are none. */
export function heldWords(portfolio: string, cause: Cause | undefined, planned: number): string {
  if (cause?.meaning !== 'unknown' || planned >= cause.rows) return '';
  const rows = cause.rows - planned;
  return `${counted(rows, 'row')} of this cause ${rows === 1 ? 'is' : 'are'} held and ${rows === 1 ? 'stays' : 'stay'} so. ${heldRemedy(portfolio)}.`;
}

export function cameWords(rows: number): string {
  return rows === 0 ? '' : `${counted(rows, 'row')} changed meanwhile and ${rows === 1 ? 'was' : 'were'} left alone.`;
}

export function underWayWords(rows: number): string {
  return rows === 0
    ? ''
    : `${counted(rows, 'row')} ${rows === 1 ? 'has a call' : 'have calls'} under way: what is answered counts.`;
}
