import { pipeline } from 'node:stream/promises';
import { folderOf, isThere, writeArchivedResults } from '../../jobs/archive/look-at-archive.ts';
import { shellWord } from '../../src/console/parts/text.ts';
import type { Context } from '../../src/context.ts';
import { type ArchivedPortfolio, archivedFault } from '../../src/ledger/schema/archives.ts';
import { type ArchivedAt, archivedFacts, archivedWords } from './archived-words.ts';
import { writeOutput } from './output.ts';

/** With where its files are. */
export function archivedAt(archived: ArchivedPortfolio, context: Pick<Context, 'account' | 'settings'>): ArchivedAt {
  return { ...archived, folder: folderOf(archived, placeOf(context)) };
}

/**
 * Reports of a portfolio whose rows are in files: what is known of it, or its results as they were when it was archived.
 *
 * @throws LimitlineError `USAGE` for what only its rows could tell, with how they come back; `FILE` where its files are not there, or
 *   are not what was written
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

/** What somebody may want to do with it, and the command. */
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

/** Whose results are in files that nobody just takes away. */
function hasFiles({ is }: ArchivedPortfolio): boolean {
  return is === 'leaving' || is === 'archived' || is === 'restoring';
}

function placeOf({ account, settings }: Pick<Context, 'account' | 'settings'>) {
  return { account, dataDir: settings.LIMITLINE_DATA };
}
