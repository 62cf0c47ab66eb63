import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileFault, systemCode } from '../../src/files/file-fault.ts';
import type { ArchiveState } from '../../src/ledger/archive/archive-state.ts';
import { PART } from './archive-folders.ts';
import { readManifest } from './manifest.ts';

/**
 * The folders of a portfolio's archives: that of its state, those of before that a restored portfolio has, and what a killed process
 * did not write to its end. Another ledger may have the same data folder, account and name: its portfolio was begun at another moment.
 *
 * @param dir the folder of all archives of the portfolio
 * @throws LimitlineError `FILE` where it cannot be looked into
 */
export async function ownArchives(
  dir: string,
  { account, name, state }: { account: string; name: string; state: Pick<ArchiveState, 'id' | 'startedMs'> },
): Promise<string[]> {
  const found = await readdir(dir).catch((error) => {
    if (systemCode(error) === 'ENOENT') return [];
    throw fileFault(dir, 'read', error);
  });
  const own: string[] = [];
  for (const folder of found) {
    const path = join(dir, folder);
    const isSure = folder === state.id || folder.endsWith(PART);
    const manifest = isSure ? undefined : await readManifest(path, { account, name }).catch(() => undefined);
    if (isSure || manifest?.startedMs === state.startedMs) own.push(path);
  }
  return own;
}
