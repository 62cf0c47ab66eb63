import type { Context } from '../../src/context.ts';
import { isRefusedAsFull } from '../../src/redis-memory/memory.ts';
import { announceFolder } from './announce-folder.ts';

/**
 * Enters the account, and prints its name and the data folder first. Tells if the account is new, which may mean a wrong data
 * folder or address.
 *
 * @param serves whether the command imports nothing: then it may start while Redis' memory is full
 */
export async function announceAccount(context: Context, say: (text: string) => void, serves = false): Promise<void> {
  const { account, accounts, redis, settings } = context;
  const used = await accounts.isUsed(account);
  await context.enterAccount().catch((error) => {
    // Importing enters the account, too.
    if (!serves || !isRefusedAsFull(error)) throw error;
  });
  say(
    used
      ? `limitline: account ${account}`
      : `limitline: account ${account}, in which nothing was ever made (ledger: ${redis.where})`,
  );
  announceFolder(settings, say);
}
