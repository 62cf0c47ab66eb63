import type { FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { ArchivedPortfolio, Archives } from '../../../src/ledger/schema/archives.ts';
import { DAY_MS, HOUR_MS } from '../../../src/time-units.ts';
import { type ArchiveFault, HAVE_FILES } from '../../archive/look-at-archive.ts';
import { quoted } from '../walk-ledger.ts';

/** Checks an archive's files; answers nothing if they are right. @param wholly also reads them to their ends */
export type LookAtFiles = (
  archived: ArchivedPortfolio,
  how: { wholly: boolean; signal: AbortSignal },
) => Promise<ArchiveFault | undefined>;

type ArchivesCheck = {
  sink: FoundSink;
  /** The night's time: each archive is read completely in one of {@link NIGHTS} nights. */
  atMs: number;
  signal: AbortSignal;
  nowMs?: number;
};

/**
 * In how many nights all archives are read completely once. Each night reads about a seventh of them, so a fault of the disk is found
 * within a week.
 */
const NIGHTS = 7;
/** How long, in ms, a transition may last before it is reported. Archiving or restoring a million rows takes some minutes. */
const ENDED_WITHIN_MS = HOUR_MS;

/** For each state in which a portfolio is being archived, restored or forgotten: the command that goes on with it. */
const GOES_ON_BY: Readonly<Record<string, string>> = {
  archiving: 'archive',
  leaving: 'archive',
  restoring: 'restore',
  forgetting: 'forget',
};

/**
 * Checks archived portfolios and those in transition: whether their files are intact and transitions ended. Each night compares
 * manifests with the ledger, and file sizes with the manifest. Contents are read once in seven nights. Mends nothing.
 *
 * @param lookAt left out where this host's data folder is not the one with the archives
 * @throws the signal's reason when it is aborted
 */
export async function checkArchives(
  archived: readonly ArchivedPortfolio[],
  lookAt: LookAtFiles | undefined,
  { sink, atMs, signal, nowMs = Date.now() }: ArchivesCheck,
): Promise<void> {
  for (const one of archived) {
    signal.throwIfAborted();
    const { name, is, sinceMs } = one;
    const goesOnBy = GOES_ON_BY[is];
    if (goesOnBy !== undefined && nowMs - sinceMs > ENDED_WITHIN_MS) {
      const command = `${goesOnBy} ${quoted(name)}`;
      await sink.found({ ...OF_ARCHIVES, portfolio: name, says: NOT_ENDED, detail: is, sinceMs, command });
    }
    if (!lookAt || !HAVE_FILES.has(is)) continue;
    const fault = await lookAt(one, { wholly: isItsNight(one, atMs), signal });
    if (!fault) continue;
    const says = fault.is === 'missing' ? MISSING : CHANGED;
    await sink.found({ ...OF_ARCHIVES, portfolio: name, says, detail: fault.detail, sinceMs });
  }
}

/**
 * Reports listed portfolios of which Redis lost the record, as after keys were evicted or removed by hand. No other check sees them: without
 * the record they have no counts to compare, and no archive.
 */
export async function tellOfLostRecords(
  archives: Pick<Archives, 'lost'>,
  sink: FoundSink,
  folderOf: (portfolio: string) => string,
): Promise<void> {
  const { here, archived } = await archives.lost();
  for (const portfolio of here) await sink.found({ check: 'counts', portfolio, says: LOST, isMended: false });
  for (const portfolio of archived) {
    await sink.found({ ...OF_ARCHIVES, portfolio, says: LOST_ARCHIVE, detail: folderOf(portfolio) });
  }
}

const OF_ARCHIVES = { check: 'archives', isMended: false } as const;

/** Whether the archive is read completely tonight: decided by its id and the day, so that nothing has to be stored. */
function isItsNight({ id }: ArchivedPortfolio, atMs: number): boolean {
  const number = [...id].reduce((sum, character) => sum + character.charCodeAt(0), 0);
  return (number + Math.floor(atMs / DAY_MS)) % NIGHTS === 0;
}

const NOT_ENDED = 'portfolios have been on their way into or out of their archives for more than an hour';
const LOST =
  'Redis has lost the records of portfolios: whether they are paused, and what was imported; put back a copy of it, or import their files again';
const LOST_ARCHIVE =
  'Redis has lost the records of archived portfolios, so restore does not find them; put back a copy of it, and keep their files';
const MISSING =
  'portfolios are archived whose files are not in the data folder; without them their rows do not come back: put them back from a copy';
const CHANGED = 'files of archives are not what was written; put them back from a copy, or their rows do not come back';
