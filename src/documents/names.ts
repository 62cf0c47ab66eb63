import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { normal } from '../likeness.ts';

/** Finds what a wrong file name was meant to be. */
type NameFinder = {
  /** The name under the folder that differs in case or in Unicode's spelling alone, or null. */
  near(name: string): Promise<string | null>;
};

/** @param root the folder; its listings are read once and kept, since a wrong column gives a miss on every line. */
export function makeNameFinder({ root }: { root: string }): NameFinder {
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
    async near(name) {
      let way = '';
      for (const part of name.split('/')) {
        const found = (await listing(join(root, way))).get(foldedName(part));
        if (found === undefined) return null;
        way = way === '' ? found : `${way}/${found}`;
      }
      return way;
    },
  };
}

/**
 * The name without case and spelling: some file systems take names that differ in case for one, and macOS takes letters apart
 * that others write whole.
 */
export function foldedName(name: string): string {
  return normal(name.toLowerCase());
}

const MAX_FOLDERS = 100;

/** Some 2 MB a folder. A proposal is a courtesy: beyond it, the person is told only that the file is not there. */
const MAX_NAMES = 20_000;

/** The names of a folder by what {@link foldedName} makes of them; none if the folder cannot be read. */
async function list(dir: string): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  try {
    for await (const entry of await opendir(dir)) {
      names.set(foldedName(entry.name), entry.name);
      if (names.size >= MAX_NAMES) break;
    }
  } catch {
    // The name is not there as far as we can see, which is what the caller says.
  }
  return names;
}
