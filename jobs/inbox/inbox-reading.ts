import { join } from 'node:path';
import { isLimitlineError, LimitlineError } from '../../src/errors.ts';
import { openPortfolio } from '../../src/portfolio/open-portfolio.ts';
import type { ReadOptions } from '../../src/portfolio/read-options.ts';
import { formOf, makeKeptMappings } from '../drafts/kept-mappings.ts';
import { makeNamedMappings } from '../drafts/named-mappings.ts';
import type { InboxSource } from './inbox-deps.ts';

type Reading = Pick<InboxSource, 'settings'> & { signal?: AbortSignal | undefined };

/**
 * How a file of the drop folder is read, and who said so: by the mapping that the setting names; else as people corrected it for files of
 * its form in the console; else as it stands.
 *
 * @throws LimitlineError `NOT_FOUND` where no mapping of that name is kept; `USAGE` where nobody knows who said so
 */
export async function readingOf(path: string, { settings, signal }: Reading): Promise<SaidReading> {
  const { LIMITLINE_INBOX_MAPPING: name, LIMITLINE_DATA: dataDir } = settings;
  if (name !== undefined) return makeNamedMappings({ dataDir }).need(name);
  const kept = await keptReadingOf(path, { dataDir, signal });
  if (kept?.by.length === 0) throw new LimitlineError('USAGE', NOBODYS);
  return kept ?? { reading: {}, by: [] };
}

/** How a file is read, and who said so. */
type SaidReading = { reading: ReadOptions; by: readonly string[] };

const NOBODYS =
  'Files with this header were corrected in the console of an earlier version, which did not note by whom. Upload one there and say again how it is read, or keep a mapping (npx limitline mapping keep NAME FILE): then it is taken in by itself.';

/** An option of `check` that says how a file is read, in a sentence about one. */
const OPTION = /(?<!\S)--(?:map|decimal|dates|encoding|delimiter|header-line|sheet)\b/;

/** The sentence, and where what it asks for is said of files that are dropped: nobody gives options to them. */
export function withReadingWords(words: string): string {
  if (!OPTION.test(words)) return words;
  return `${words} Of a file of the drop folder that is said by a mapping, npx limitline mapping keep NAME FILE with these options, which LIMITLINE_INBOX_MAPPING names: then drop the file again. Or import it in the console, under New, and say it there: files with the same header are read so from then on.`;
}

/** How files of this form are read since somebody corrected it in the console; nothing where nobody did. */
export async function keptReadingOf(
  path: string,
  { dataDir, signal }: { dataDir: string; signal?: AbortSignal | undefined },
): Promise<SaidReading | undefined> {
  const header = await headerOf(path, signal);
  if (header.length === 0) return undefined;
  return makeKeptMappings({ dir: join(dataDir, 'mappings') }).find(formOf(header));
}

/** None where it cannot be read as it stands: that is said by whoever imports it. */
async function headerOf(path: string, signal: AbortSignal | undefined): Promise<string[]> {
  try {
    const opened = await openPortfolio({ path, signal, requiredColumns: [] });
    await opened.close();
    return opened.columns.length > 0 ? opened.header : [];
  } catch (error) {
    if (isLimitlineError(error, 'FILE')) return [];
    throw error;
  }
}
