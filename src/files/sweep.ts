import type { Stats } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isLeftBehind } from './process-mark.ts';

type Sweeping = {
  dir: string;
  /** Which names are swept, with the groups of `MARK_PATTERN`. */
  names: RegExp;
  /** Which of those that bear such a name may be removed; all if it is left out. */
  isOurs?: (found: Stats) => boolean;
  /** Whether folders are removed, with all that is in them; otherwise they are left alone. */
  folders?: boolean;
};

/**
 * Removes from a folder what processes that were killed left there: nobody else ever would. What belongs to a living process
 * is left alone, and so is what cannot be looked at or removed: that is no reason to do without what the folder is for.
 */
export async function sweepLeftBehind({ dir, names, isOurs = () => true, folders = false }: Sweeping): Promise<void> {
  for (const name of await readdir(dir).catch(() => [])) {
    const [, ...mark] = names.exec(name) ?? [];
    if (mark.length === 0) continue;
    const path = join(dir, name);
    try {
      const found = await lstat(path);
      // Links within a folder are removed and not followed.
      if (isOurs(found) && isLeftBehind(mark, found.mtimeMs)) await rm(path, { recursive: folders, force: true });
    } catch {
      // Another process sweeps as well, or it may not be removed.
    }
  }
}
