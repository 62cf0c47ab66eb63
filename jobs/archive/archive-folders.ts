import { createHash } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../src/files/file-fault.ts';

/** A file system takes names of 255 bytes; 64 letters of some scripts are 256, and `.part` comes behind. */
const NAME_BYTES = 200;

/** What is not written to its end bears this behind its name. */
export const PART = '.part';

type PortfolioPlace = { dataDir: string; account: string; portfolio: string };

/**
 * The folder of all archives of one portfolio: `archive/<account>/<portfolio>` of the data folder, and in it a folder for each
 * archive, by its id. Accounts are named by a digest, as in drop folders.
 *
 * @param dataDir the data folder
 */
export function portfolioFolder({ dataDir, account, portfolio }: PortfolioPlace): string {
  const name = Buffer.byteLength(portfolio) <= NAME_BYTES ? portfolio : digestOf(portfolio);
  return join(dataDir, 'archive', digestOf(account), name);
}

/** The folder of one archive. */
export function archiveFolder({ id, ...of }: PortfolioPlace & { id: string }): string {
  return join(portfolioFolder(of), id);
}

/**
 * Removes an archive, or what was not written to its end. It loses its name first: whoever is killed in the middle leaves what is told
 * to be none, also where its manifest is gone and nobody can say whose its other files are.
 */
export async function removeArchive(folder: string): Promise<void> {
  const part = folder.endsWith(PART) ? folder : `${folder}${PART}`;
  await rm(part, { recursive: true, force: true });
  if (part === folder) return;
  try {
    await rename(folder, part);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  await rm(part, { recursive: true, force: true });
}

/** 16 characters. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
