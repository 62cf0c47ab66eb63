import { randomBytes } from 'node:crypto';
import { counted } from '../../src/counted.ts';
import { LimitlineError } from '../../src/errors.ts';
import { heldRemedy } from '../../src/held-remedy.ts';
import { makeArchiveSteps, type NotArchived } from '../../src/ledger/archive/archive-steps.ts';
import type { PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import { rowCountOf } from '../../src/ledger/portfolios/summary.ts';
import { type ArchiveState, archivedFault } from '../../src/ledger/schema/archives.ts';
import type { ArchiveDeps, ArchiveStep, ArchivingOptions } from './archive-deps.ts';
import { archiveFolder, removeArchive } from './archive-folders.ts';
import { makeReportStep, mustGoOn, type ReportStep, withArchives } from './long-work.ts';
import { takeOut } from './take-out.ts';
import { nameArchive, type Writing, writeArchive } from './write-archive.ts';

/** The result of archiving. */
export type Archived = {
  portfolio: string;
  id: string;
  folder: string;
  sizeBytes: number;
  rows: number;
  states: Readonly<Record<string, number>>;
  requested: string;
  granted: string;
  /** Whether an earlier process had written the files, and this call only finished its work. */
  resumed: boolean;
};

/**
 * Archives a finished portfolio: writes it into files of the data folder, reads them back, compares them with Redis, and then
 * removes it from Redis. The data that prevents double requests stays in Redis.
 *
 * After a crash, the next call continues or begins again. A failure before the files are complete leaves the portfolio as it
 * was.
 *
 * @throws LimitlineError `NOT_FOUND`; `USAGE` where archiving is not allowed now, with what to do first; `FILE` where the disk
 *   fails; `STOPPED` by the signal
 */
export async function archivePortfolio(deps: ArchiveDeps, name: string, options: ArchivingOptions): Promise<Archived> {
  return withArchives(deps, () => archive(deps, name, options));
}

/**
 * Checks whether a portfolio may be archived now, or its archiving continued. Changes nothing.
 *
 * @throws LimitlineError as {@link archivePortfolio}
 */
export async function mayBeArchived(
  deps: Pick<ArchiveDeps, 'ledger' | 'keys' | 'account'>,
  name: string,
): Promise<void> {
  const found = await makeArchiveSteps({ connection: deps.ledger, keys: deps.keys }).begin(name);
  if ('why' in found) throw notArchivedFault(name, found, deps.account);
  if ('is' in found && found.is.is !== 'leaving') throw archivedFault({ name, is: found.is.is });
}

async function archive(deps: ArchiveDeps, name: string, options: ArchivingOptions): Promise<Archived> {
  const leaving = makeArchiveSteps({ connection: deps.ledger, keys: deps.keys });
  // Reading also clears the record of an import whose process died.
  const seen = await deps.portfolios.read(name);
  const state: ArchiveState = {
    is: 'archiving',
    id: newId(),
    by: options.by,
    sinceMs: Date.now(),
    startedMs: seen.startedMs ?? 0,
    finishedMs: seen.finishedMs ?? 0,
  };
  const begun = await leaving.begin(name, state);
  if ('why' in begun) throw notArchivedFault(name, begun, deps.account);
  if ('is' in begun) {
    if (begun.is.is !== 'leaving') throw archivedFault({ name, is: begun.is.is });
    return archivedOf(name, await takeOut({ name, state: begun.is, isResumed: true }, options, deps), true, deps);
  }
  // Leftovers of an earlier attempt are no archive and disturb nobody, so failing to remove them is no fault.
  if (begun.before) await removeArchive(folderOf(name, begun.before.id, deps)).catch(() => {});
  const left = await writeAndLeave(name, state, options, deps);
  return archivedOf(name, await takeOut({ name, state: left, isResumed: false }, options, deps), false, deps);
}

/** Writes the files and marks the portfolio as leaving. Any failure before that is undone. */
async function writeAndLeave(name: string, state: ArchiveState, options: ArchivingOptions, deps: ArchiveDeps) {
  const leaving = makeArchiveSteps({ connection: deps.ledger, keys: deps.keys });
  const folder = folderOf(name, state.id, deps);
  const reportStep = reportStepOf(name, options, 0);
  let mayHaveLeft = false;
  try {
    await reportStep('begun');
    const left = await writeFiles({ name, folder, state }, options, deps);
    await reportStep('leaving');
    mayHaveLeft = true;
    if (await leaving.leave(name, left)) return left;
    throw overtakenFault(name);
  } catch (error) {
    const isBack = await leaving.drop(name, state.id).catch(() => undefined);
    // If Redis did not answer, the mark may be set. Then the files stay.
    if (!mayHaveLeft || isBack === true) await removeArchive(folder).catch(() => {});
    if (isBack === undefined) deps.say?.(`${name} may still be marked as being archived: archive it again later.`);
    mustGoOn(options.signal, stoppedWords(name));
    throw error;
  }
}

async function writeFiles(
  { name, folder, state }: { name: string; folder: string; state: ArchiveState },
  options: ArchivingOptions,
  deps: ArchiveDeps,
): Promise<ArchiveState> {
  // Nothing changes the portfolio now, so these counts match the files.
  const found = await deps.portfolios.read(name);
  const counts = countsOf(found);
  const total = rowCountOf(found);
  const stepOf = (step: 'writing' | 'comparing'): Writing => {
    const reportStep = reportStepOf(name, options, total);
    const onRows = (more: number) => reportStep(step, more);
    const { id, by, startedMs, finishedMs } = state;
    const facts = { account: deps.account, portfolio: name, id, by, archivedMs: state.sinceMs, startedMs, finishedMs };
    return { folder, facts: { ...facts, rows: total, ...counts }, signal: options.signal, onRows };
  };
  const writing = stepOf('writing');
  await writing.onRows(0);
  const { sizeBytes, sha256 } = await writeArchive({ writing, comparing: stepOf('comparing') }, deps);
  await reportStepOf(name, options, total)('naming');
  await nameArchive(folder);
  return { ...state, is: 'leaving', sinceMs: Date.now(), ...counts, sizeBytes, sha256 };
}

function countsOf({ states, sums }: PortfolioState) {
  return { states, requested: sums.requested, granted: sums.granted };
}

function archivedOf(name: string, state: ArchiveState, resumed: boolean, deps: ArchiveDeps): Archived {
  const { id, states = {}, requested = '0.00', granted = '0.00', sizeBytes = 0 } = state;
  const rows = Object.values(states).reduce((sum, count) => sum + count, 0);
  const folder = folderOf(name, id, deps);
  return { portfolio: name, id, folder, sizeBytes, rows, states, requested, granted, resumed };
}

function folderOf(portfolio: string, id: string, { settings, account }: ArchiveDeps): string {
  return archiveFolder({ dataDir: settings.LIMITLINE_DATA, account, portfolio, id });
}

/** Begins with the time, so that folders sort by age. */
function newId(): string {
  return `${new Date().toISOString().replace(/[-:]|\..*$/g, '')}-${randomBytes(4).toString('hex')}`;
}

function overtakenFault(name: string): LimitlineError {
  return new LimitlineError('USAGE', `${name} is being archived by another process: nothing was done here.`);
}

function reportStepOf(name: string, options: ArchivingOptions, total: number): ReportStep<ArchiveStep> {
  return makeReportStep(options, total, stoppedWords(name));
}

function stoppedWords(name: string): string {
  return `Archiving ${name} was stopped before anything was taken out: the portfolio is as it was.`;
}

/** The error for a portfolio that may not be archived now, with what to do first. */
function notArchivedFault(name: string, { why, rows }: NotArchived, account: string): LimitlineError {
  if (why === 'gone') return new LimitlineError('NOT_FOUND', `There is no portfolio "${name}" in account ${account}.`);
  const some = counted(rows, 'row');
  const [is, it, await_] = rows === 1 ? ['is', 'it', 'awaits'] : ['are', 'them', 'await'];
  const words = {
    importing: `A file is being imported into ${name}: archive it when it is finished.`,
    open: `${some} of ${name} ${is} still to be worked on: let workers finish ${it} (npx limitline work), or give ${it} up (npx limitline cancel "${name}"), and archive it then.`,
    awaiting: `${some} of ${name} ${await_} another person's approval. Approve ${it} (npx limitline approve "${name}") or decline ${it}, and archive the portfolio then.`,
    held: `${some} of ${name} ${is} held, since nobody knows what became of ${rows === 1 ? 'its call' : 'their calls'}: archive it after that is known. ${heldRemedy(name)}.`,
    supplier: `The company of the supplier of ${name} is still to be made: let workers do that (npx limitline work), and archive it then.`,
    interrupted: `An import of ${name} did not come to its end: import its file again, and archive it when it is finished.`,
    unfinished: `${name} is not finished: npx limitline report "${name}" shows how far it is.`,
  }[why];
  return new LimitlineError('USAGE', words);
}
