import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LimitlineError } from '../../src/errors.ts';
import { nameInLine } from '../../src/ledger/archive/archive-pages.ts';
import type { ArchiveState } from '../../src/ledger/archive/archive-state.ts';
import { type Leaving, makeLeaving } from '../../src/ledger/archive/leaving.ts';
import type { ArchiveDeps, ArchiveStep, ArchiveWish } from './archive-deps.ts';
import { batchesOf, checkArchiveFile, REST, readArchiveFile } from './archive-files.ts';
import { archiveFolder, removeArchive } from './archive-folders.ts';
import { type ArchiveManifest, readManifest } from './manifest.ts';

/** A portfolio that leaves; `isResumed` where its files were written by another process, some time ago. */
type Out = { name: string; state: ArchiveState; isResumed: boolean };

/** Names of keys that one command takes out. */
const NAMES = 500;

/**
 * Takes a portfolio whose files are there out of Redis: its rows, what else its files name, and of its hash all but a few fields.
 * It may be ended at any moment, and goes on with the next call.
 *
 * @throws LimitlineError `FILE` where the archive is not there any more, or not what was written: nothing more is taken out then
 */
export async function takeOut(out: Out, wish: ArchiveWish, deps: ArchiveDeps): Promise<ArchiveState> {
  const { name, state } = out;
  const leaving = makeLeaving({ connection: deps.ledger, keys: deps.keys });
  const folder = archiveFolder({
    dataDir: deps.settings.LIMITLINE_DATA,
    account: deps.account,
    portfolio: name,
    id: state.id,
  });
  const manifest = await readManifest(folder, { account: deps.account, name, id: state.id, sha256: state.sha256 });
  if (out.isResumed) for (const facts of manifest.files) await checkArchiveFile(folder, facts);
  const told = makeSteps(manifest, wish, name);
  await told('taking rows out', 0);
  await takeRows(out, { leaving, told });
  await told('taking the rest out', 0);
  await takeRest(out, { leaving, folder, manifest, told });
  await told('ending', 0);
  const archived: ArchiveState = { ...state, is: 'archived', sinceMs: Date.now() };
  if (!(await leaving.end(name, archived))) throw overtakenFault(name);
  await removeOlder(folder, manifest);
  await wish.onProgress?.({ step: 'ended', rows: manifest.rows, total: manifest.rows });
  return archived;
}

/** Tells how far it is, and ends it where that was asked for. */
type Told = (step: ArchiveStep, rows: number) => Promise<void>;

function makeSteps(manifest: ArchiveManifest, wish: ArchiveWish, name: string): Told {
  let [last, done] = ['', 0];
  return async (step, rows) => {
    [last, done] = [step, step === last ? done + rows : rows];
    await wish.onProgress?.({ step, rows: done, total: manifest.rows });
    if (wish.signal.aborted) throw stoppedFault(name);
  };
}

async function takeRows({ name, state }: Out, { leaving, told }: { leaving: Leaving; told: Told }): Promise<void> {
  for await (const rows of leaving.takeOutRows(name, state.id)) {
    if (rows === undefined) throw overtakenFault(name);
    await told('taking rows out', rows);
  }
}

async function takeRest(
  { name, state }: Out,
  { leaving, folder, manifest, told }: { leaving: Leaving; folder: string; manifest: ArchiveManifest; told: Told },
): Promise<void> {
  const facts = manifest.files.find((each) => each.name === REST);
  if (!facts) throw new LimitlineError('FILE', `${folder} has no ${REST}, so nothing more of ${name} is taken out.`);
  let names = new Set<string>();
  const take = async () => {
    if (!(await leaving.takeOutKeys(name, state.id, [...names]))) throw overtakenFault(name);
    names = new Set();
    await told('taking the rest out', 0);
  };
  for await (const lines of batchesOf(readArchiveFile(folder, facts))) {
    for (const line of lines) names.add(nameInLine(line));
    if (names.size >= NAMES) await take();
  }
  if (names.size > 0) await take();
}

/** Archives of before, of this portfolio and none that once had its name, which this one has in it. */
async function removeOlder(folder: string, { account, portfolio, startedMs }: ArchiveManifest): Promise<void> {
  const above = dirname(folder);
  for (const name of await readdir(above).catch(() => [])) {
    const other = join(above, name);
    if (other === folder) continue;
    const found = await readManifest(other, { account, name: portfolio }).catch(() => undefined);
    // It may be of another ledger that uses this data folder; that one was begun at another moment.
    if (found?.startedMs !== startedMs) continue;
    await removeArchive(other).catch(() => {});
  }
}

function overtakenFault(name: string): LimitlineError {
  return new LimitlineError('USAGE', `${name} is on another way by now: nothing more was done here.`);
}

function stoppedFault(name: string): LimitlineError {
  return new LimitlineError(
    'STOPPED',
    `The files of ${name} are there, and its rows are being taken out of Redis; that was stopped. Run npx limitline archive "${name}" again to go on.`,
  );
}
