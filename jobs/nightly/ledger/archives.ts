import type { FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { ArchivedPortfolio } from '../../../src/ledger/schema/archives.ts';
import { type ArchiveFault, HAVE_FILES } from '../../archive/look-at-archive.ts';
import { quoted } from '../row-facts.ts';

/** What of an archive's files is not as it should be, in words; nothing where all is. @param wholly reads them to their ends, too */
export type LookAtFiles = (
  archived: ArchivedPortfolio,
  how: { wholly: boolean; signal: AbortSignal },
) => Promise<ArchiveFault | undefined>;

type ArchivesCheck = {
  sink: FoundSink;
  /** Which night it is: each archive is read wholly in one of {@link NIGHTS}. */
  atMs: number;
  signal: AbortSignal;
  nowMs?: number;
};

/** A disk's fault that nobody notices is found within a week, and no night reads more than a seventh of what there is. */
const NIGHTS = 7;
const DAY_MS = 86_400_000;

/** A million rows are archived or restored in some minutes. */
const ENDED_WITHIN_MS = 3_600_000;

/** By which command what did not end goes on. */
const GOES_ON_BY: Readonly<Record<string, string>> = {
  archiving: 'archive',
  leaving: 'archive',
  restoring: 'restore',
  forgetting: 'forget',
};

/**
 * Looks at portfolios that are archived or on their way: whether their files are there and as they were written, and whether what was
 * begun came to an end. Each night the manifest of each is compared with the ledger, and its files with the manifest by their sizes; what
 * is in them is read once in seven nights. Nothing of it is mended.
 *
 * @param lookAt nothing where this host's data folder is not the one in which they lie
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

const OF_ARCHIVES = { check: 'archives', isMended: false } as const;

/** By its id and the day, so that nobody has to remember when it was read last. */
function isItsNight({ id }: ArchivedPortfolio, atMs: number): boolean {
  const number = [...id].reduce((sum, character) => sum + character.charCodeAt(0), 0);
  return (number + Math.floor(atMs / DAY_MS)) % NIGHTS === 0;
}

const NOT_ENDED = 'portfolios have been on their way into or out of their archives for more than an hour';
const MISSING =
  'portfolios are archived whose files are not in the data folder; without them their rows do not come back: put them back from a copy';
const CHANGED = 'files of archives are not what was written; put them back from a copy, or their rows do not come back';
