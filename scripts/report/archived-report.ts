import { pipeline } from 'node:stream/promises';
import { folderOf, isThere, writeArchivedResults } from '../../jobs/archive/look-at-archive.ts';
import { shellWord } from '../../src/console/parts/text.ts';
import type { Context } from '../../src/context.ts';
import { counted, grouped, moneyText, sizeWords } from '../../src/counted.ts';
import { isoTime } from '../../src/ledger/portfolios/summary.ts';
import {
  ARCHIVE_STANDING,
  type ArchivedPortfolio,
  archivedFault,
  archivedRows,
  archivedStates,
} from '../../src/ledger/schema/archives.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { minuteZ } from '../../src/utc-text.ts';
import { writeOutput } from './output.ts';

/** An archived portfolio, with the folder of its files. */
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
  { format, out, causes = false, state }: { format: string; out?: string; causes?: boolean; state?: string },
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

/** The width of the name's column in characters, as in {@link portfolioWords}, so that a line fits 80 columns. */
const NAME_WIDTH = 24;

/** The three or four lines about an archived portfolio: name and state, counts, sums, and the folder. */
export function archivedWords(archived: ArchivedAt): string {
  const { name, is, sinceMs, by, finishedMs, requested = '0', granted = '0', sizeBytes, folder } = archived;
  const shown = name.length > NAME_WIDTH ? `${name.slice(0, NAME_WIDTH - 1)}…` : name;
  const counts = archivedStates(archived).map(([state, count]) => `${grouped(count)} ${state}`);
  const size = is === 'forgotten' || sizeBytes === undefined ? '' : `; files of ${sizeWords(sizeBytes)}`;
  const lines = [
    `${shown.padEnd(NAME_WIDTH)}  ${ARCHIVE_STANDING[is]} ${minuteZ(sinceMs)} by ${visible(by)}`,
    `    ${counts.join(', ') || 'no rows'}; finished ${minuteZ(finishedMs)}${size}`,
    `    requested ${moneyText(requested)}, granted ${moneyText(granted)}`,
  ];
  // The folder has a line of its own, to be copied.
  if (is !== 'forgotten') lines.push(`    ${folder}`);
  return lines.join('\n');
}

/** An archived portfolio in JSON. */
export function archivedFacts(archived: ArchivedAt) {
  const { name, is, by, sinceMs, startedMs, finishedMs, states = {}, requested, granted, sizeBytes, folder } = archived;
  return {
    portfolio: name,
    standing: is,
    since: isoTime(sinceMs),
    by,
    started: isoTime(startedMs),
    finished: isoTime(finishedMs),
    rows: archivedRows(archived),
    states,
    requested: requested ?? null,
    granted: granted ?? null,
    ...(is === 'forgotten' ? {} : { folder, bytes: sizeBytes ?? null }),
  };
}

/** Tells that a list leaves out archived portfolios. */
export function othersArchived(count: number): string {
  return `${counted(count, 'more is', 'more are')} archived or forgotten: npx limitline portfolios --all`;
}

/** An archived or forgotten portfolio with its folder. A forgotten one has no files. */
type ArchivedAt = ArchivedPortfolio & { folder: string };

async function writeResults(archived: ArchivedPortfolio, out: string | undefined, context: Context): Promise<void> {
  if (!hasFiles(archived)) throw archivedFault(archived);
  const { signal } = new AbortController();
  await writeOutput(out, (to) => writeArchivedResults(archived, placeOf(context), to, signal));
}

/** Commands that a person may want next. */
function nextSteps({ name, is }: ArchivedAt, isGone: boolean): string[] {
  const word = shellWord(name);
  if (is === 'forgotten') return ['The portfolio was forgotten: nothing of it can be brought back.'];
  if (is !== 'archived') return [archivedFault({ name, is }).message];
  if (isGone)
    return [
      'The files of the archive are missing, so the portfolio cannot be restored.',
      'Put the folder back from a copy.',
    ];
  return [
    `To read its results:  npx limitline report ${word} --format csv --out FILE`,
    `To restore its rows:  npx limitline restore ${word}`,
  ];
}

function hasFiles({ is }: ArchivedPortfolio): boolean {
  return is === 'leaving' || is === 'archived' || is === 'restoring';
}

function placeOf({ account, settings }: Pick<Context, 'account' | 'settings'>) {
  return { account, dataDir: settings.LIMITLINE_DATA };
}
