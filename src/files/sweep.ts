import type { Stats } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isLeftBehind } from './process-mark.ts';

type Sweeping = {
  dir: string;
  /** Matches the names of files that may be removed; its groups are those of `MARK_PATTERN`. */
  names: RegExp;
  /** Further condition for removing a matching file; if left out, each matching file may be removed. */
  isOurs?: (found: Stats) => boolean;
  /** Whether folders are removed with their content; otherwise they stay. */
  folders?: boolean;
};

/**
 * Removes files from a folder that killed processes left there. Files of a living process stay. A file that cannot be read or removed stays
 * too: the folder can still be used.
 */
export async function sweepLeftBehind({ dir, names, isOurs = () => true, folders = false }: Sweeping): Promise<void> {
  for (const name of await readdir(dir).catch(() => [])) {
    const [, ...mark] = names.exec(name) ?? [];
    if (mark.length === 0) continue;
    const path = join(dir, name);
    try {
      const found = await lstat(path);
      // Links within a folder are removed, not followed.
      if (isOurs(found) && isLeftBehind(mark, found.mtimeMs)) await rm(path, { recursive: folders, force: true });
    } catch {
      // Another process may sweep at the same time, or the file cannot be removed.
    }
  }
}
