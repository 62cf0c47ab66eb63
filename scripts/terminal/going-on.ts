import type { Context } from '../../src/context.ts';
import { counted } from '../../src/counted.ts';
import { countLiving } from '../../src/ledger/calls/fleet.ts';

/**
 * Tells when rows that were queued again are sent: while workers run, and their portfolio is not paused. Also the number of
 * worker processes.
 *
 * @param who what goes on, if it is no row
 */
export async function goingOn(
  rows: number,
  portfolio: string,
  { ledger, keys, portfolios }: Pick<Context, 'ledger' | 'keys' | 'portfolios'>,
  who = rows === 0 ? undefined : `${counted(rows, 'row')} ${rows === 1 ? 'goes' : 'go'} on`,
): Promise<{ goes: string; workers: number }> {
  const [workers, { paused }] = await Promise.all([
    countLiving({ connection: ledger, keys }),
    portfolios.read(portfolio),
  ]);
  const running = workers === 1 ? '1 worker process runs' : `${workers} worker processes run`;
  if (who === undefined) return { goes: 'no row goes on.', workers };
  if (paused) return { goes: `${who} once somebody resumes the portfolio, which is paused.`, workers };
  if (workers > 0) return { goes: `${who}; ${running}.`, workers };
  return { goes: `${who} as soon as workers run; none runs now: start one with npx limitline work.`, workers };
}
