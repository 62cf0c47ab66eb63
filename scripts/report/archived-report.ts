import { pipeline } from 'node:stream/promises';
import { folderOf, isThere, writeArchivedResults } from '../../jobs/archive/look-at-archive.ts';
import { shellWord } from '../../src/console/parts/text.ts';
import type { Context } from '../../src/context.ts';
import { type ArchivedPortfolio, archivedFault } from '../../src/ledger/schema/archives.ts';
import { type ArchivedAt, archivedFacts, archivedWords } from './archived-words.ts';
import { writeOutput } from './output.ts';

/** Adds the folder of its files. */
export function archivedAt(archived: ArchivedPortfolio, context: Pick<Context, 'account' | 'settings'>): ArchivedAt {
  return { ...archived, folder: folderOf(archived, placeOf(context)) };
}

/**
 * Reports an archived portfolio: what is known of it, or its results as they were then.
 *
 * @throws LimitlineError `USAGE` for reports that need its rows, with how to restore them; `FILE` where its files are missing
 *   or changed
 */
export async function reportArchived(
  archived: ArchivedPortfolio,
  { format, out, causes = false, state }: { format: string; out?: string; causes?: boolean; state?: 'held' },
  context: Context,
): Promise<void> {
  if (causes || state) throw archivedFault(archived);
  if (format === 'csv') return writeResults(archived, out, context);
  if (format !== 'table' && format !== 'json') throw archivedFault(archived);
  const at = archivedAt(archived, context);
  const isGone = hasFiles(archived) && !(await isThere(archived, placeOf(context)));
  const text =
    format === 'json'
      ? JSON.stringify({ account: context.account, ...archivedFacts(at) }, null, 2)
      : [
          `Portfolio ${archived.name}, account ${context.account}`,
          '',
          archivedWords(at),
          '',
          ...nextSteps(at, isGone),
        ].join('\n');
  await writeOutput(out, (to) => pipeline([`${text}\n`], to));
}

async function writeResults(archived: ArchivedPortfolio, out: string | undefined, context: Context): Promise<void> {
  if (!hasFiles(archived)) throw archivedFault(archived);
  const { signal } = new AbortController();
  await writeOutput(out, (to) => writeArchivedResults(archived, placeOf(context), to, signal));
}

/** Commands that a person may want next. */
function nextSteps({ name, is }: ArchivedAt, isGone: boolean): string[] {
  const word = shellWord(name);
  if (is === 'forgotten') return ['It was forgotten: nothing of it comes back.'];
  if (is !== 'archived') return [archivedFault({ name, is }).message];
  if (isGone)
    return ['Its files are not there: without them its rows do not come back. Put the', 'folder back from a copy.'];
  return [
    `Its results:   npx limitline report ${word} --format csv --out FILE`,
    `Its rows back: npx limitline restore ${word}`,
  ];
}

/** Whether its results are in files. */
function hasFiles({ is }: ArchivedPortfolio): boolean {
  return is === 'leaving' || is === 'archived' || is === 'restoring';
}

function placeOf({ account, settings }: Pick<Context, 'account' | 'settings'>) {
  return { account, dataDir: settings.LIMITLINE_DATA };
}
