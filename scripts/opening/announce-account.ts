import type { Settings } from '../../src/config.ts';
import type { Context } from '../../src/context.ts';
import { folderWords } from '../../src/data-folder.ts';
import { isRefusedAsFull } from '../../src/redis-memory/memory.ts';

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
    // A command that imports nothing starts although Redis' memory is full: the first import enters the account, too.
    if (!serves || !isRefusedAsFull(error)) throw error;
  });
  say(
    used
      ? `limitline: account ${account}`
      : `limitline: account ${account}, in which nothing was ever made (ledger: ${redis.where})`,
  );
  announceFolder(settings, say);
}

/** Prints which settings come from a file, and which data folder is used: requests in one folder are unknown in another. */
export function announceFolder(settings: Settings, say: (text: string) => void): void {
  const { dotenv } = settings;
  if (dotenv) say(`limitline: settings from ${dotenv.path}: ${dotenv.names.join(', ')}`);
  say(`limitline: ${folderWords({ path: settings.LIMITLINE_DATA, by: settings.dataFolderBy })}`);
}
