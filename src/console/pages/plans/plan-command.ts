import type { Plan } from '../../../ledger/plans/plan.ts';
import { queryOfFilter } from '../../../ledger/search/row-filter.ts';
import { shellWord } from '../../parts/command-line.ts';

/** The command that does the same as a plan, or nothing where there is none. */
export function commandOf({
  action,
  portfolio,
  filter,
  whole,
}: Pick<Plan, 'action' | 'portfolio' | 'filter' | 'whole'>): string | undefined {
  const command = (...words: string[]) => ['npx limitline', ...words].join(' ');
  const name = shellWord(portfolio);
  const { states = [], cause, ...rest } = filter;
  const isUsual = Object.values(rest).every((one) => one === undefined) && states.length === 1;
  if (action === 'resend')
    return isUsual && cause === undefined ? command('resolve', name, '--all', '--resend') : undefined;
  if (whole) return command('cancel', name);
  if (isUsual && cause !== undefined && states[0] === 'refused')
    return command(action, name, '--cause', shellWord(cause));
  if (isUsual && action === 'retry' && cause === undefined) {
    return states[0] === 'refused' ? command('retry', name) : command('retry', name, '--state', 'cancelled');
  }
  return command(action, name, '--where', shellWord(queryOfFilter(filter)));
}
