import type { Context } from '../../src/context.ts';
import { isRefusedAsFull } from '../../src/redis-memory/memory.ts';
import { announceFolder } from './announce-folder.ts';

/**
 * Enters the account and says which it is, and which data folder is used, before anything else is said. An account in which
 * nothing was ever made is what a wrong data folder or a wrong address looks like, so that is said too.
 *
 * @param serves whether it brings nothing in: then it starts while the memory of Redis is full, too
 */
export async function announceAccount(context: Context, say: (text: string) => void, serves = false): Promise<void> {
  const { account, accounts, redis, settings } = context;
  const used = await accounts.isUsed(account);
  await context.enterAccount().catch((error) => {
    // Whoever brings something in enters the account, too.
    if (!serves || !isRefusedAsFull(error)) throw error;
  });
  say(
    used
      ? `limitline: account ${account}`
      : `limitline: account ${account}, in which nothing was ever made (ledger: ${redis.where})`,
  );
  announceFolder(settings, say);
}
