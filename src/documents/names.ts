import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { normal } from '../likeness.ts';

/**
 * Finds which file was meant by a name that no file has.
 *
 * @param root the folder of documents. Its listings are cached, since a wrongly mapped column gives a wrong name on every line
 */
export function makeNameFinder({ root }: { root: string }) {
  const listings = new Map<string, Promise<Map<string, string>>>();

  function listing(dir: string): Promise<Map<string, string>> {
    const known = listings.get(dir);
    if (known) return known;
    if (listings.size >= MAX_FOLDERS) listings.clear();
    const names = list(dir);
    listings.set(dir, names);
    return names;
  }

  return {
    /** A name in the folder that differs only in case, Unicode form, spaces or punctuation; otherwise null. */
    async near(name: string): Promise<string | null> {
      let way = '';
      for (const part of name.split('/')) {
        const names = await listing(join(root, way));
        const found = names.get(foldedName(part)) ?? names.get(looseName(part));
        if (found === undefined) return null;
        way = way === '' ? found : `${way}/${found}`;
      }
      return way;
    },
  };
}

/** The name in lower case and in NFC. Some file systems ignore case, and macOS decomposes letters. */
export function foldedName(name: string): string {
  return normal(name.toLowerCase());
}

/**
 * The letters and digits of a name alone: `Audit_2025.PDF` and `audit 2025.pdf` have the same. It is for comparisons only; no file is
 * opened by it.
 */
function looseName(name: string): string {
  return `/${foldedName(name).replace(/[^\p{L}\p{N}]/gu, '')}`;
}

const MAX_FOLDERS = 100;

/** Most names of one folder that are listed, some 2 MB. In a larger folder, the file that was meant may not be found. */
const MAX_NAMES = 20_000;

/** A folder's names by their {@link foldedName} and their {@link looseName}; empty if it cannot be read. */
async function list(dir: string): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  try {
    for await (const entry of await opendir(dir)) {
      names.set(foldedName(entry.name), entry.name);
      names.set(looseName(entry.name), entry.name);
      if (names.size >= 2 * MAX_NAMES) break;
    }
  } catch {
    // A folder that cannot be read has no names here. The caller, which reads it too, reports the fault.
  }
  return names;
}
