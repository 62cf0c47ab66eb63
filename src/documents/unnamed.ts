import { opendir, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** More than a person reads through; further files are not counted. */
const MAX_LISTED = 1_000;

/**
 * The files in the documents folder that no line names, as a line would name them. Usually somebody forgot them.
 * Without hidden files; empty if the folder is missing.
 *
 * @param named absolute paths with links resolved, as in `Document.path`.
 */
export async function unnamedDocuments(dir: string, named: ReadonlySet<string>): Promise<string[]> {
  const unnamed: string[] = [];
  try {
    const root = await realpath(dir);
    for await (const entry of await opendir(root, { recursive: true })) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || entry.name.startsWith('.') || named.has(path)) continue;
      unnamed.push(relative(root, path));
      if (unnamed.length >= MAX_LISTED) break;
    }
  } catch {
    // A missing folder is reported where a line names a document.
  }
  return unnamed.sort();
}
