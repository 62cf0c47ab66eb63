import { counted, grouped, sizeWords } from '../../src/counted.ts';
import { isoTime } from '../../src/ledger/portfolios/summary.ts';
import {
  ARCHIVE_STANDING,
  type ArchivedPortfolio,
  archivedRows,
  archivedStates,
} from '../../src/ledger/schema/archives.ts';
import { groupedAmount } from '../../src/money-text.ts';
import { visible } from '../../src/portfolio/problem.ts';

/** An archived or forgotten portfolio with its folder. A forgotten one has no files. */
export type ArchivedAt = ArchivedPortfolio & { folder: string };

/** As in {@link portfolioWords}: a column's width for 80 columns. */
const NAME_WIDTH = 24;

/** Three or four lines: name and state, counts, sums, and the folder. */
export function archivedWords(archived: ArchivedAt): string {
  const { name, is, sinceMs, by, finishedMs, requested = '0', granted = '0', sizeBytes, folder } = archived;
  const shown = name.length > NAME_WIDTH ? `${name.slice(0, NAME_WIDTH - 1)}…` : name;
  const counts = archivedStates(archived).map(([state, count]) => `${grouped(count)} ${state}`);
  const size = is === 'forgotten' || sizeBytes === undefined ? '' : `; files of ${sizeWords(sizeBytes)}`;
  const lines = [
    `${shown.padEnd(NAME_WIDTH)}  ${ARCHIVE_STANDING[is]} ${minute(sinceMs)} by ${visible(by)}`,
    `    ${counts.join(', ') || 'no rows'}; finished ${minute(finishedMs)}${size}`,
    `    requested ${groupedAmount(requested)}, granted ${groupedAmount(granted)}`,
  ];
  // On a line of its own, to be copied.
  if (is !== 'forgotten') lines.push(`    ${folder}`);
  return lines.join('\n');
}

/** The same in JSON. */
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

function minute(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}
