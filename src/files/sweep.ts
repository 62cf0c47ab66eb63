import type { Stats } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isLeftBehind } from './process-mark.ts';

type Sweeping = {
  dir: string;
  /** The names to remove, with the groups of `MARK_PATTERN`. */
  names: RegExp;
  /** Which of the matching files may be removed; default: all. */
  isOurs?: (found: Stats) => boolean;
  /** Whether folders are removed with their content; default: they stay. */
  folders?: boolean;
};

/**
 * Removes files that killed processes left in a folder. Files of living processes stay, and so do files that cannot be
 * read or removed: such an error must not stop the caller.
 */
export async function sweepLeftBehind({ dir, names, isOurs = () => true, folders = false }: Sweeping): Promise<void> {
  for (const name of await readdir(dir).catch(() => [])) {
    const [, ...mark] = names.exec(name) ?? [];
    if (mark.length === 0) continue;
    const path = join(dir, name);
    try {
      const found = await lstat(path);
      // Links are removed, never followed.
      if (isOurs(found) && isLeftBehind(mark, found.mtimeMs)) await rm(path, { recursive: folders, force: true });
    } catch {
      // Another process may have removed it, or this one lacks the permission.
    }
  }
}
