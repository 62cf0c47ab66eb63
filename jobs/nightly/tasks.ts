import type { Audit } from '../../src/audit/audit.ts';
import type { Cut } from '../../src/audit/audit-trail.ts';
import { counted } from '../../src/counted.ts';
import { isLimitlineError, messageOf } from '../../src/errors.ts';
import { heldRemedy } from '../../src/held-remedy.ts';
import type { MeaningStore } from '../../src/ledger/counts/meaning-store.ts';
import { outcomesOf } from '../../src/ledger/counts/outcome-sums.ts';
import { isDecided, type TakenFile } from '../../src/ledger/inbox/inbox.ts';
import { findOldPortfolios } from '../../src/ledger/schema/archives.ts';
import { redisNowMs } from '../../src/ledger/schema/redis-reads.ts';
import type { RedisConnection } from '../../src/lua-script.ts';
import { DAY_MS } from '../../src/time-units.ts';
import { type ArchiveDeps, ArchivesTaken } from '../archive/archive-deps.ts';
import { type Archived, archivePortfolio } from '../archive/archive-portfolio.ts';
import type { InboxSource } from '../inbox/inbox-deps.ts';
import { type TakenIn, takeInOnce } from '../inbox/take-in.ts';
import { type ReconcileDeps, reconcile } from './reconcile.ts';
import { type RetryDeps, retryByRules } from './retry-by-rules.ts';
import type { Night, NightlyTask, NightResult } from './run-task.ts';

type TaskDeps = CutDeps & ReconcileTaskDeps & InboxSource & RetryDeps & ArchiveTaskDeps;

/** All tasks that the schedule may name. */
export function nightlyTasks(deps: TaskDeps): readonly NightlyTask[] {
  return [
    {
      name: 'audit',
      words: 'cuts off audit entries that need not be kept any longer',
      run: (night) => cutAudit(deps, night),
    },
    { name: 'inbox', words: 'takes in what lies in the drop folder', run: (night) => takeInDropped(deps, night) },
    {
      name: 'retry',
      words: 'sends again the rejected rows that a rule names',
      run: (night) => retryByRules(night, deps),
    },
    {
      name: 'reconcile',
      words: 'compares files, rows, calls, counts and queues, and corrects what is certain',
      run: (night) => reconcileOf(night, deps),
    },
    {
      name: 'archive',
      words: 'takes portfolios that finished long ago out of Redis, into files',
      run: (night) => archiveOld(night, deps),
    },
  ];
}

type ReconcileTaskDeps = ReconcileDeps & { audit: Pick<Audit, 'note'> };

/** The nightly check. */
async function reconcileOf(night: Night, deps: ReconcileTaskDeps): Promise<NightResult> {
  const result = await reconcile(deps, night);
  // The audit entry comes afterwards, because nobody asked for these repairs: they are done already.
  if (result.is === 'findings') {
    const facts = { report: result.report, words: result.words };
    await deps.audit.note({ by: night.by, what: 'ledger reconciled', from: night.from, facts });
  }
  return result;
}

type CutDeps = {
  audit: { cut(given: { beforeMs: number; by: string; from: string }): Promise<Cut | undefined> };
  ledger: RedisConnection;
  /** `LIMITLINE_AUDIT_DAYS`; without it, nothing is cut off. */
  days: number | undefined;
};

/** Removes audit entries older than `days` from the trail's start, and leaves a checkpoint there. */
async function cutAudit({ audit, ledger, days }: CutDeps, { by, from }: Night): Promise<NightResult> {
  if (days === undefined) return { is: 'well', words: 'All audit entries are kept (LIMITLINE_AUDIT_DAYS is not set).' };
  // By the clock that entries are written with: a host's own clock may be a year ahead, and what is cut off is gone.
  const cut = await audit.cut({ beforeMs: (await redisNowMs(ledger)) - days * DAY_MS, by, from });
  if (!cut) return { is: 'well', words: `No audit entry is older than ${days} days.` };
  return {
    is: 'well',
    words: `Audit entries older than ${days} days were deleted, up to and including number ${cut.upTo}.`,
  };
}

/** Imports the files in the drop folder: the task `inbox`. */
export async function takeInDropped(source: InboxSource, { signal }: Pick<Night, 'signal'>): Promise<NightResult> {
  if (source.settings.LIMITLINE_INBOX === undefined) {
    return { is: 'well', words: 'There is no drop folder (LIMITLINE_INBOX is not set).' };
  }
  return inboxResult(await takeInOnce(source, { signal }));
}

/** The result of a pass. Findings are rejected files, lines without a row, and files that nobody takes. */
export function inboxResult({ files, lying, results, isElsewhere }: TakenIn): NightResult {
  if (isElsewhere) return { is: 'well', words: 'Another process is taking in what lies in the drop folder.' };
  const of = (is: TakenFile['is']) => files.filter((file) => file.is === is);
  const [again, rejected] = [of('again'), of('rejected')];
  const [decided = [], imported = []] = [true, false].map((is) =>
    of('imported').filter((one) => isDecided(one) === is),
  );
  const badOf = (some: TakenFile[]) =>
    some.reduce((sum, { found }) => sum + (found ? found.invalid + found.duplicate : 0), 0);
  const [bad, open] = [badOf(imported), badOf(decided)];
  const stuck = lying.filter(({ leftMs }) => leftMs === undefined);
  const parts = [
    imported.length > 0 && `${counted(imported.length, 'file')} imported`,
    bad > 0 && `${counted(bad, 'line')} led to no row`,
    decided.length > 0 && `${counted(decided.length, 'file')} of decisions read`,
    open > 0 && `${counted(open, 'decision')} to be looked at`,
    again.length > 0 && `${counted(again.length, 'file')} imported before`,
    rejected.length > 0 && `${counted(rejected.length, 'file')} rejected`,
    stuck.length > 0 && `${counted(stuck.length, 'file')} could not be imported yet`,
    lying.length > stuck.length && `${counted(lying.length - stuck.length, 'file')} still being written`,
    results.length > 0 && `results of ${counted(results.length, 'portfolio')} written there`,
  ].filter((part) => part !== false);
  const isBad = bad + open > 0 || rejected.length > 0 || stuck.length > 0;
  const words = parts.length === 0 ? 'Nothing lay in the drop folder.' : `Drop folder: ${parts.join(', ')}.`;
  return { is: isBad ? 'findings' : 'well', words };
}

/**
 * The portfolios of one night by result: archived, left because of held rows, left for other reasons, and failed. `review`: the archived
 * ones with rows under review.
 */
type Came = { archived: string[]; review: string[]; held: string[]; left: Told[]; failed: Told[] };
type Told = { name: string; why: string };

/**
 * Archives portfolios that finished more than `LIMITLINE_KEEP_DAYS` ago, oldest first. Before that, continues archiving that
 * somebody began. A portfolio that cannot be archived stops no other: if a person has to act, the result says so; after a
 * fault, the night has failed and is run again for the rest.
 *
 * @throws the signal's reason when it is aborted: the next run continues
 */
export async function archiveOld(night: Night, deps: ArchiveTaskDeps): Promise<NightResult> {
  const days = deps.settings.LIMITLINE_KEEP_DAYS;
  const ledger = { connection: deps.ledger, keys: deps.keys };
  // Archiving that has begun is continued even without LIMITLINE_KEEP_DAYS, because a half archived portfolio cannot be used. The days are
  // counted from the scheduled time, so that a late run archives no more than the schedule meant.
  const beforeMs = days === undefined ? Number.NEGATIVE_INFINITY : night.atMs - days * DAY_MS;
  const { archived, finished } = await findOldPortfolios(ledger, beforeMs);
  const begun = archived.filter(({ is }) => is === 'archiving' || is === 'leaving').map(({ name }) => name);
  const came: Came = { archived: [], review: [], held: [], left: [], failed: [] };
  for (const name of [...begun, ...finished]) {
    night.signal.throwIfAborted();
    await archiveNamed(name, { ...night, ...(!begun.includes(name) && { beforeMs }) }, came, deps);
  }
  return { is: came.failed.length > 0 ? 'failed' : 'well', words: wordsOf(came, days) };
}

type ArchiveTaskDeps = ArchiveDeps & {
  audit: Pick<Audit, 'around'>;
  statusMeanings: Pick<MeaningStore, 'read'>;
  settings: { LIMITLINE_KEEP_DAYS?: number | undefined };
};

async function archiveNamed(
  name: string,
  { id, by, from, signal, beforeMs }: Night & { beforeMs?: number },
  came: Came,
  deps: ArchiveTaskDeps,
): Promise<void> {
  try {
    const state = await deps.portfolios.read(name);
    const { states, finishedMs } = state;
    // While others were archived, a new import may have reopened the portfolio.
    if (beforeMs !== undefined && !(finishedMs !== undefined && finishedMs < beforeMs)) return;
    // Held rows are looked for before archiving is tried: a portfolio with held rows is left every night until their calls are resolved.
    if (states.held > 0) {
      came.held.push(name);
      return;
    }
    const { under_review: review } = outcomesOf(state, await deps.statusMeanings.read());
    const note = { by, what: 'portfolio archived', from, about: name, facts: { night: id } };
    const facts = ({ rows, sizeBytes }: Archived) => ({ rows, bytes: sizeBytes });
    await deps.audit.around(note, () => archivePortfolio(deps, name, { by, signal }), facts);
    came.archived.push(name);
    if (review.rows > 0) came.review.push(name);
  } catch (error) {
    signal.throwIfAborted();
    const told = { name, why: messageOf(error) };
    // `ArchivesTaken` is tried again: the process that archives or restores now will have ended by then.
    const isLeft = isLimitlineError(error, 'USAGE') && !(error instanceof ArchivesTaken);
    if (isLeft) came.left.push(told);
    else came.failed.push(told);
  }
}

/** The most names, and the most reasons, that a result states; the others are counted. */
const MOST_NAMED = 5;

function wordsOf({ archived, review, held, left, failed }: Came, days: number | undefined): string {
  if (archived.length + held.length + left.length + failed.length === 0) {
    if (days === undefined) return 'No portfolio is archived by itself (LIMITLINE_KEEP_DAYS is not set).';
    return `No portfolio was finished more than ${counted(days, 'day')} ago.`;
  }
  const words = [
    failed.length > 0 && `${counted(failed.length, 'portfolio')} could not be archived: ${reasonsOf(failed)}`,
    archived.length > 0 ? `${counted(archived.length, 'portfolio')} archived.` : 'No portfolio was archived.',
    review.length > 0 &&
      `Rows of ${namesOf(review)} were under review: decisions are taken in as before, and the rows show them once restored.`,
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

/** The reasons of these portfolios as sentences. A reason that many portfolios share, such as a full disk, is given once. */
function reasonsOf(told: readonly Told[]): string {
  const byReason = new Map<string, string[]>();
  // Reasons often differ by the portfolio's name only, which is given already.
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
