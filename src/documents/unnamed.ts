import { opendir, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** More than a person looks through; the rest is left uncounted. */
const MAX_LISTED = 1_000;

/**
 * The files under the documents folder that no line names, as a line would name them: forgotten ones, as a rule. Hidden
 * files are not counted. None when there is no such folder.
 *
 * @param named absolute paths with links resolved, as documents have them.
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
    // A folder that is not there is said where a line names a document in it.
  }
  return unnamed.sort();
}
