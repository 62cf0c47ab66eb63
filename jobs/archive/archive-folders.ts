import { createHash } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../src/files/file-fault.ts';

/** File names have 255 bytes at most. A name of 64 letters may have 256 bytes, and `.part` is appended. */
const NAME_BYTES = 200;

/** The suffix of folders that are not completely written. */
export const PART = '.part';

type PortfolioPlace = { dataDir: string; account: string; portfolio: string };

/**
 * The folder of all archives of one portfolio: `archive/<account>/<portfolio>` in the data folder, with a folder for each
 * archive's id. Accounts appear as digests, as in drop folders.
 *
 * @param dataDir the data folder
 */
export function portfolioFolder({ dataDir, account, portfolio }: PortfolioPlace): string {
  const name = Buffer.byteLength(portfolio) <= NAME_BYTES ? portfolio : digestOf(portfolio);
  return join(dataDir, 'archive', digestOf(account), name);
}

export function archiveFolder({ id, ...of }: PortfolioPlace & { id: string }): string {
  return join(portfolioFolder(of), id);
}

/**
 * Removes an archive, complete or not. Renames it first: if the process is killed, a `.part` folder is left, which counts as no
 * archive even without a manifest.
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

/** 16 hexadecimal digits. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
