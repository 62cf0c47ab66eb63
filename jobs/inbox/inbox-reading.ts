import { join } from 'node:path';
import { isLimitlineError, LimitlineError } from '../../src/errors.ts';
import { openPortfolio } from '../../src/portfolio/open-portfolio.ts';
import type { ReadOptions } from '../../src/portfolio/read-options.ts';
import { formsOf } from '../drafts/file-forms.ts';
import { makeKeptMappings, makeNamedMappings } from '../drafts/kept-mappings.ts';
import type { InboxSource } from './inbox-deps.ts';

type Reading = Pick<InboxSource, 'settings'> & { signal?: AbortSignal | undefined };

/**
 * The read options of a dropped file and who set them: the mapping in the setting; else corrections in the console for files of
 * its form; else none.
 *
 * @throws LimitlineError `NOT_FOUND` where that mapping does not exist; `USAGE` where it is unknown who set the options
 */
export async function readingOf(path: string, { settings, signal }: Reading): Promise<SaidReading> {
  const { LIMITLINE_INBOX_MAPPING: name, LIMITLINE_DATA: dataDir } = settings;
  if (name !== undefined) return makeNamedMappings({ dataDir }).need(name);
  const kept = await keptReadingOf(path, { dataDir, signal });
  if (kept?.by.length === 0) throw new LimitlineError('USAGE', NOBODYS);
  return kept ?? { reading: {}, by: [] };
}

type SaidReading = { reading: ReadOptions; by: readonly string[] };

const NOBODYS =
  'Somebody said in the console how files with this header are read, but an earlier version of Limitline did not note who it was. Upload such a file there and say again how it is read, or keep a mapping (npx limitline mapping keep NAME FILE). Then such files are taken in by themselves.';

/** An option of `check` that sets read options, in a message. */
const OPTION = /(?<!\S)--(?:map|decimal|dates|encoding|delimiter|header-line|sheet)\b/;

/** Adds to a message how to set read options for dropped files, if it speaks of command options. */
export function withReadingWords(words: string): string {
  if (!OPTION.test(words)) return words;
  return `${words} For files of the drop folder, a mapping gives such options: make one by npx limitline mapping keep NAME FILE with these options, name the mapping in LIMITLINE_INBOX_MAPPING, and drop the file again. Or import the file in the console, under New, and say there how it is read: files with the same header are read so from then on.`;
}

/** Changes the advice in a message about unnamed columns of a decisions file, so that it suits a file in the drop folder. */
export function inFileWords(words: string): string {
  return words.replace(
    /, or name it with (--map .*)\.$/,
    (_all, maps: string) =>
      ` and drop the file again. Or say once which column is what, at Upload decisions on the page of a portfolio, or by npx limitline decisions FILE ${maps.replaceAll('" and ', '" ')}: files with the same header are read so from then on.`,
  );
}

/** The read options that somebody set in the console for files of this form; nothing where nobody did. */
export async function keptReadingOf(
  path: string,
  { dataDir, signal }: { dataDir: string; signal?: AbortSignal | undefined },
): Promise<SaidReading | undefined> {
  try {
    const opened = await openPortfolio({ path, signal });
    await opened.close();
    const found = await makeKeptMappings({ dir: join(dataDir, 'mappings') }).findFor(formsOf(opened));
    return found?.kept;
  } catch (error) {
    // The file cannot be read without options. Its import reports that.
    if (isLimitlineError(error, 'FILE')) return undefined;
    throw error;
  }
}
