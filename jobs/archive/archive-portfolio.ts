import { randomBytes } from 'node:crypto';
import { counted } from '../../src/counted.ts';
import { LimitlineError } from '../../src/errors.ts';
import { heldRemedy } from '../../src/held-remedy.ts';
import { nameInLine } from '../../src/ledger/archive/archive-pages.ts';
import { type ArchiveSteps, makeArchiveSteps, type NotArchived } from '../../src/ledger/archive/archive-steps.ts';
import { grantedOf } from '../../src/ledger/counts/outcome-sums.ts';
import type { PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import { rowCountOf } from '../../src/ledger/portfolios/summary.ts';
import { type ArchiveState, archivedFault } from '../../src/ledger/schema/archives.ts';
import type { Meanings } from '../../src/status-meaning.ts';
import type { ArchiveDeps, ArchiveStep, ArchivingOptions, ReportStep } from './archive-deps.ts';
import { makeReportStep, mustGoOn, overtakenFault, withArchives } from './archive-deps.ts';
import { archiveFolder, batchesOf, checkArchiveFile, REST, readArchiveFile, removeArchive } from './archive-files.ts';
import { type ArchiveManifest, readManifest } from './manifest.ts';
import { removeOlder } from './remove-older.ts';
import { followLeft, type Restored } from './restore-portfolio.ts';
import { nameArchive, type Writing, writeArchive } from './write-archive.ts';

/** The result of archiving. `resumed`: an earlier process had written the files, and this call only finished its work. */
export type Archived = Restored & { sizeBytes: number; requested: string; granted: string };

/**
 * Archives a finished portfolio: writes it into files of the data folder, reads them back, compares them with Redis, and then
 * removes it from Redis. The data that prevents double requests stays in Redis.
 *
 * After a crash, the next call continues or begins again. A failure before the files are complete leaves the portfolio as it was.
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

/**
 * Removes a portfolio with complete files from Redis: its rows, the other keys in its files, and all but a few fields of its
 * hash. May be stopped at any moment; the next call continues.
 *
 * @throws LimitlineError `FILE` where the archive is missing or changed: then nothing more is removed
 */
async function takeOut(out: Out, options: ArchivingOptions, deps: ArchiveDeps): Promise<ArchiveState> {
  const { name, state } = out;
  const { account, settings, ledger, keys } = deps;
  const leaving = makeArchiveSteps({ connection: ledger, keys });
  const folder = archiveFolder({ dataDir: settings.LIMITLINE_DATA, account, portfolio: name, id: state.id });
  const manifest = await readManifest(folder, { account, name, id: state.id, sha256: state.sha256 });
  if (out.isResumed) for (const facts of manifest.files) await checkArchiveFile(folder, facts);
  const stopped = `The archive files of ${name} are complete, but taking its rows out of Redis was stopped. Run npx limitline archive "${name}" again to go on.`;
  const reportStep = makeReportStep(options, manifest.rows, stopped);
  await reportStep('taking rows out');
  await takeRows(out, { leaving, reportStep });
  await reportStep('taking the rest out');
  await takeRest(out, { leaving, folder, manifest, reportStep });
  await reportStep('ending');
  const archived: ArchiveState = { ...state, is: 'archived', sinceMs: Date.now() };
  if (!(await leaving.end(name, archived))) throw overtakenFault(name);
  await removeOlder(folder, manifest);
  await options.onProgress?.({ step: 'ended', rows: manifest.rows, total: manifest.rows });
  return archived;
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
    throw new LimitlineError('USAGE', `${name} is being archived by another process: nothing was done here.`);
  } catch (error) {
    const isBack = await leaving.drop(name, state.id).catch(() => undefined);
    // If Redis did not answer, the portfolio may be marked as leaving. Then the files stay.
    if (!mayHaveLeft || isBack === true) await removeArchive(folder).catch(() => {});
    if (isBack) await followLeft(deps).catch(() => {});
    if (isBack === undefined)
      deps.say?.(`Portfolio ${name} may still be marked as being archived: archive the portfolio again later.`);
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
  const counts = countsOf(found, await deps.statusMeanings.read());
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
  const [currency, ...others] = found.currencies;
  const named = currency && others.length === 0 ? { currency } : {};
  return { ...state, is: 'leaving', sinceMs: Date.now(), ...counts, ...named, sizeBytes, sha256 };
}

function countsOf(found: PortfolioState, meanings: Meanings) {
  return { states: found.states, requested: found.sums.requested, granted: grantedOf(found, meanings).granted };
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

/** The id of a new archive. It begins with the time, so that folders sort by age. */
const newId = (): string => `${new Date().toISOString().replace(/[-:]|\..*$/g, '')}-${randomBytes(4).toString('hex')}`;

function reportStepOf(name: string, options: ArchivingOptions, total: number): ReportStep<ArchiveStep> {
  return makeReportStep(options, total, stoppedWords(name));
}

function stoppedWords(name: string): string {
  return `Archiving ${name} was stopped before anything was taken out: the portfolio is as it was.`;
}

function notArchivedFault(name: string, { why, rows }: NotArchived, account: string): LimitlineError {
  if (why === 'gone') return new LimitlineError('NOT_FOUND', `There is no portfolio "${name}" in account ${account}.`);
  const some = counted(rows, 'row');
  const [is, it, await_] = rows === 1 ? ['is', 'it', 'awaits'] : ['are', 'them', 'await'];
  const words = {
    importing: `A file is being imported into ${name}: archive the portfolio when the import is finished.`,
    open: `${some} of ${name} ${is} still to be worked on: let workers finish ${it} (npx limitline work), or give ${it} up (npx limitline cancel "${name}"), and archive it then.`,
    awaiting: `${some} of ${name} ${await_} another person's approval. Approve ${it} (npx limitline approve "${name}" --as USER) or decline ${it}, and archive the portfolio then.`,
    held: `${some} of ${name} ${is} held, since nobody knows what became of ${rows === 1 ? 'its call' : 'their calls'}: archive the portfolio after that is known. ${heldRemedy(name)}.`,
    approval: `An approval of ${name} waits for another person's answer. Give it (npx limitline approve "${name}" --as USER) or decline it, and archive the portfolio then.`,
    supplier: `The company of the supplier of ${name} is still to be made: start workers that make it (npx limitline work), and archive the portfolio afterwards.`,
    doubt: `Nobody knows whether the company of the supplier of ${name} was made: ask the service. If it was not, npx limitline resolve "${name}" --all --resend sends its call again; if it was, import a file into the portfolio with --supplier FILE and the company_id in that file. Archive the portfolio afterwards.`,
    interrupted: `An import of ${name} did not come to its end: import its file again, and archive the portfolio when the import is finished.`,
    unfinished: `${name} is not finished: npx limitline report "${name}" shows how far it is.`,
  }[why];
  return new LimitlineError('USAGE', words);
}

/** A portfolio that is being removed from Redis. `isResumed`: another process wrote its files, in an earlier run. */
type Out = { name: string; state: ArchiveState; isResumed: boolean };

/** The most keys that one Redis command removes. */
const NAMES = 500;

type Leaving = { leaving: ArchiveSteps; reportStep: ReportStep<ArchiveStep> };

async function takeRows({ name, state }: Out, { leaving, reportStep }: Leaving): Promise<void> {
  for await (const rows of leaving.takeOutRows(name, state.id)) {
    if (rows === undefined) throw overtakenFault(name);
    await reportStep('taking rows out', rows);
  }
}

async function takeRest(
  { name, state }: Out,
  { leaving, folder, manifest, reportStep }: Leaving & { folder: string; manifest: ArchiveManifest },
): Promise<void> {
  const facts = manifest.files.find((each) => each.name === REST);
  if (!facts) {
    const message = `The archive folder ${folder} has no file ${REST}, so nothing more of ${name} is taken out of Redis.`;
    throw new LimitlineError('FILE', message);
  }
  let names = new Set<string>();
  const take = async () => {
    if (!(await leaving.takeOutKeys(name, state.id, [...names]))) throw overtakenFault(name);
    names = new Set();
    await reportStep('taking the rest out');
  };
  for await (const lines of batchesOf(readArchiveFile(folder, facts))) {
    for (const line of lines) names.add(nameInLine(line));
    if (names.size >= NAMES) await take();
  }
  if (names.size > 0) await take();
}
