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

/** A portfolio that is archived or forgotten, with where its files are; those that are forgotten have none. */
export type ArchivedAt = ArchivedPortfolio & { folder: string };

/** As {@link portfolioWords} has it: of 80 columns the name keeps to its own, and a long one pushes the rest along. */
const NAME_WIDTH = 24;

/** Three lines or four: which it is and since when it is gone, what it had, what that came to, and where its files are. */
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
  // Paths are long: it stands by itself, to be copied.
  if (is !== 'forgotten') lines.push(`    ${folder}`);
  return lines.join('\n');
}

/** The same for programs. */
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

/** What a list says that leaves them out. */
export function othersArchived(count: number): string {
  return `${counted(count, 'more is', 'more are')} archived or forgotten: npx limitline portfolios --all`;
}

function minute(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}
