import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LimitlineError } from '../../src/errors.ts';
import { nameInLine } from '../../src/ledger/archive/archive-pages.ts';
import { type ArchiveSteps, makeArchiveSteps } from '../../src/ledger/archive/archive-steps.ts';
import type { ArchiveState } from '../../src/ledger/schema/archives.ts';
import type { ArchiveDeps, ArchiveStep, ArchivingOptions } from './archive-deps.ts';
import { batchesOf, checkArchiveFile, REST, readArchiveFile } from './archive-files.ts';
import { archiveFolder, removeArchive } from './archive-folders.ts';
import { makeReportStep, overtakenFault, type ReportStep } from './long-work.ts';
import { type ArchiveManifest, readManifest } from './manifest.ts';

/** A leaving portfolio. `isResumed`: another process wrote its files, some time ago. */
type Out = { name: string; state: ArchiveState; isResumed: boolean };

/** Keys that one command removes. */
const NAMES = 500;

/**
 * Removes a portfolio with complete files from Redis: its rows, the other keys in its files, and all but a few fields of its
 * hash. May be stopped at any moment; the next call continues.
 *
 * @throws LimitlineError `FILE` where the archive is missing or changed: then nothing more is removed
 */
export async function takeOut(out: Out, options: ArchivingOptions, deps: ArchiveDeps): Promise<ArchiveState> {
  const { name, state } = out;
  const { account, settings, ledger, keys } = deps;
  const leaving = makeArchiveSteps({ connection: ledger, keys });
  const folder = archiveFolder({ dataDir: settings.LIMITLINE_DATA, account, portfolio: name, id: state.id });
  const manifest = await readManifest(folder, { account, name, id: state.id, sha256: state.sha256 });
  if (out.isResumed) for (const facts of manifest.files) await checkArchiveFile(folder, facts);
  const stopped = `The files of ${name} are there, and its rows are being taken out of Redis; that was stopped. Run npx limitline archive "${name}" again to go on.`;
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
  if (!facts) throw new LimitlineError('FILE', `${folder} has no ${REST}, so nothing more of ${name} is taken out.`);
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

/** Removes older archives of this portfolio. This archive contains all that they have. */
async function removeOlder(folder: string, { account, portfolio, startedMs }: ArchiveManifest): Promise<void> {
  const above = dirname(folder);
  for (const name of await readdir(above).catch(() => [])) {
    const other = join(above, name);
    if (other === folder) continue;
    const found = await readManifest(other, { account, name: portfolio }).catch(() => undefined);
    // Another ledger with this data folder began its portfolio of this name at another moment.
    if (found?.startedMs !== startedMs) continue;
    await removeArchive(other).catch(() => {});
  }
}
