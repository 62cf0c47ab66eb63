import type { Context } from '../../src/context.ts';
import type { Approval } from '../../src/ledger/schema/approval.ts';

/** The approval that waits in a portfolio. */
export async function waitingIn(name: string, { context }: { context: Context }): Promise<Approval> {
  const found = (await context.approvals.waiting()).find(({ portfolio }) => portfolio === name);
  if (!found) throw new Error(`nothing waits in ${name}`);
  return found;
}
