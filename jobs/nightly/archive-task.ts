import type { Audit } from '../../src/audit/audit.ts';
import { counted } from '../../src/counted.ts';
import { isLimitlineError, messageOf } from '../../src/errors.ts';
import { heldRemedy } from '../../src/held-remedy.ts';
import { findOldPortfolios } from '../../src/ledger/schema/archives.ts';
import type { ArchiveDeps } from '../archive/archive-deps.ts';
import { type Archived, archivePortfolio } from '../archive/archive-portfolio.ts';
import { ArchivesTaken } from '../archive/long-work.ts';
import type { Night, NightResult } from './task.ts';

export type ArchiveTaskDeps = ArchiveDeps & {
  audit: Pick<Audit, 'around'>;
  settings: { LIMITLINE_KEEP_DAYS?: number | undefined };
  /** Where this runs, as the trail has it. */
  from: string;
};

const DAY_MS = 86_400_000;

/** What became of the portfolios of one night, by name. */
type Came = { archived: string[]; held: string[]; left: Told[]; failed: Told[] };
type Told = { name: string; why: string };

/**
 * Takes finished portfolios out of Redis, into files, when they are older than `LIMITLINE_KEEP_DAYS`, the oldest first, and before that what somebody began and did not end. One that cannot be archived keeps no
 * other from it: where that is a person's to see to, the night's words say so, and where it is a fault, the night has failed and is run
 * again, with what is left.
 *
 * @throws the signal's reason, when that ended it: what was begun is gone on with
 */
export async function archiveOld(night: Night, deps: ArchiveTaskDeps): Promise<NightResult> {
  const days = deps.settings.LIMITLINE_KEEP_DAYS;
  const ledger = { connection: deps.ledger, keys: deps.keys };
  // What somebody began is gone on with all the same: until then it is neither here nor there.
  const beforeMs = days === undefined ? Number.NEGATIVE_INFINITY : beforeOf(night, days);
  const { archived, finished } = await findOldPortfolios(ledger, beforeMs);
  const begun = archived.filter(({ is }) => is === 'archiving' || is === 'leaving').map(({ name }) => name);
  const came: Came = { archived: [], held: [], left: [], failed: [] };
  for (const name of [...begun, ...finished]) {
    night.signal.throwIfAborted();
    await archiveNamed(name, { ...night, ...(!begun.includes(name) && { beforeMs }) }, came, deps);
  }
  return { is: came.failed.length > 0 ? 'failed' : 'well', words: wordsOf(came, days) };
}

/** By the moment for which the night was due: one that is caught up with archives nothing that the schedule did not mean. */
function beforeOf({ atMs }: Night, days: number): number {
  return atMs - days * DAY_MS;
}

async function archiveNamed(
  name: string,
  { id, by, signal, beforeMs }: Night & { beforeMs?: number },
  came: Came,
  deps: ArchiveTaskDeps,
): Promise<void> {
  try {
    const { states, finishedMs } = await deps.portfolios.read(name);
    // Behind many others it may have been imported into since the list was made, and be at work or finished anew.
    if (beforeMs !== undefined && !(finishedMs !== undefined && finishedMs < beforeMs)) return;
    // Asked beforehand, since such a portfolio is left every night until somebody says what became of its calls.
    if (states.held > 0) {
      came.held.push(name);
      return;
    }
    const note = { by, what: 'portfolio archived', from: deps.from, about: name, facts: { night: id } };
    const facts = ({ rows, sizeBytes }: Archived) => ({ rows, bytes: sizeBytes });
    await deps.audit.around(note, () => archivePortfolio(deps, name, { by, signal }), facts);
    came.archived.push(name);
  } catch (error) {
    signal.throwIfAborted();
    const told = { name, why: messageOf(error) };
    // Whoever archives or restores just now has ended when the night is run again.
    const isLeft = isLimitlineError(error, 'USAGE') && !(error instanceof ArchivesTaken);
    if (isLeft) came.left.push(told);
    else came.failed.push(told);
  }
}

/** So many are named, and so many say why: the others are counted. */
const MOST_NAMED = 5;

function wordsOf({ archived, held, left, failed }: Came, days: number | undefined): string {
  if (archived.length + held.length + left.length + failed.length === 0) {
    if (days === undefined) return 'No portfolio is archived by itself (LIMITLINE_KEEP_DAYS is not set).';
    return `No portfolio was finished more than ${counted(days, 'day')} ago.`;
  }
  const words = [
    failed.length > 0 && `${counted(failed.length, 'portfolio')} could not be archived: ${reasonsOf(failed)}`,
    archived.length > 0 ? `${counted(archived.length, 'portfolio')} archived.` : 'No portfolio was archived.',
    held.length > 0 && `${counted(held.length, 'portfolio')} left, with held rows (${namesOf(held)}). ${heldRemedy()}.`,
    left.length > 0 &&
      `${counted(left.length, 'portfolio')} left as ${left.length === 1 ? 'it is' : 'they are'}: ${reasonsOf(left)}`,
  ];
  return words.filter((part) => part !== false).join(' ');
}

function namesOf(names: readonly string[]): string {
  const rest = names.length - MOST_NAMED;
  return [...names.slice(0, MOST_NAMED), ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ');
}

/** The same fault of many, such as a disk that is full, is said once. */
function reasonsOf(told: readonly Told[]): string {
  const byReason = new Map<string, string[]>();
  // What differs is often the name alone, which stands before it.
  for (const { name, why } of told) {
    const reason = why.replaceAll(name, 'it');
    byReason.set(reason, [...(byReason.get(reason) ?? []), name]);
  }
  const parts = [...byReason].slice(0, MOST_NAMED).map(([reason, names]) => {
    const why = names.length === 1 ? told.find(({ name }) => name === names[0])?.why : reason;
    return `${namesOf(names)} (${String(why).replace(/\.$/, '')})`;
  });
  return `${parts.join(', ')}.`;
}
