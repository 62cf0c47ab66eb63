import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LimitlineError, messageOf } from '../../src/errors.ts';
import { entriesIn } from '../../src/files/disk.ts';
import { makeForgetBeside, makeForgetting } from '../../src/ledger/archive/forgetting.ts';
import type { Inbox } from '../../src/ledger/inbox/inbox.ts';
import { makeForgetInReports } from '../../src/ledger/nightly/reports.ts';
import type { Buyers } from '../../src/ledger/rows/buyers.ts';
import { type ArchiveState, archivedRows, makeArchives } from '../../src/ledger/schema/archives.ts';
import type { Queues } from '../../src/queue/queues.ts';
import { forgetKept } from '../export/leave-results.ts';
import { removeEmpty } from '../inbox/drop-folder.ts';
import { type ArchiveDeps, type LongWorkOptions, makeReportStep } from './archive-deps.ts';
import { PART, portfolioFolder, removeArchive } from './archive-files.ts';
import { forgetBuyers, forgetEventsByNumber, lookBeforeForgetting, refusal } from './forget-buyers.ts';
import type { FilesDeps } from './forget-files.ts';
import { forgetDropped, forgetReported, forgetUploads, noteNamedFiles, removeNamedFiles } from './forget-files.ts';
import { readManifest } from './manifest.ts';
import { fileNamesOf, namedDigestsIn, namingFiles } from './named-digests.ts';

type ForgetDeps = Pick<FilesDeps, 'walkRows' | 'otherAccounts' | 'storedFiles' | 'storedDocuments'> &
  Pick<ArchiveDeps, 'account' | 'ledger' | 'keys' | 'portfolios' | 'statusMeanings'> & {
    buyers: Pick<Buyers, 'records'>;
    inbox: Inbox;
    queues: Pick<Queues, 'failedRows' | 'forget'>;
    /** The service's events. Those that contain ids of the portfolio or numbers of its companies are dropped. */
    events: { forget(ids: readonly string[]): Promise<number> };
    redis: { where: string };
    settings: { LIMITLINE_DATA: string; LIMITLINE_INBOX?: string | undefined; REDIS_URL?: unknown };
  };

export const FORGET_STEPS = [
  'files named',
  'events',
  'rows',
  'jobs',
  'buyers',
  'calls',
  'beside',
  'reports',
  'uploads',
  'drop folder',
  'files',
  'archives',
  'end',
] as const;
export type ForgetStep = (typeof FORGET_STEPS)[number];

/** Who asks, in words, and the signal that stops the work. */
type ForgettingOptions = LongWorkOptions<ForgetStep> & { by: string };

/** The result of forgetting a portfolio. The counts are of this run only, so they are lower if the run continues an interrupted one. */
export type Forgotten = {
  state: ArchiveState;
  /** `forgotten`: buyers of whom only digests are left. `shared`: buyers that other portfolios have, too. */
  buyers: { forgotten: number; shared: number };
  /** Copies of imported files and documents. `removed`: those removed. `needed`: those kept because another portfolio names them. */
  files: { removed: number; needed: number };
  uploads: number;
  events: number;
  /** Ids of drop folders that this process cannot reach and that may contain files of the portfolio. */
  dropFolders: readonly string[];
};

/**
 * Erases personal data of a portfolio from all that is kept, for good (GDPR, article 17). Digests, ids and amounts stay, so that its
 * requests are not made twice. A call after a crash continues. Until the end, nothing else can be done with the portfolio.
 *
 * @throws LimitlineError `USAGE` where it may not be forgotten now, `NOT_FOUND`, `FILE` where a file cannot be read or removed
 */
export async function forgetPortfolio(name: string, options: ForgettingOptions, deps: ForgetDeps): Promise<Forgotten> {
  const { ledger: connection, keys, account, settings } = deps;
  const ledger = { connection, keys };
  const archives = makeArchives(ledger);
  const forgetting = makeForgetting(ledger);
  const dir = portfolioFolder({ dataDir: settings.LIMITLINE_DATA, account, portfolio: name });
  const before = await lookBeforeForgetting(name, { ...deps, archives });
  mustHaveArchive(name, before.state, dir);
  await mustBeRead(name, before.state, dir);
  const answer = await forgetting.begin(name, { id: randomBytes(9).toString('base64url'), by: options.by });
  if (answer.is === 'forgotten') return nothingLeft(answer.state);
  if (answer.is !== 'go') throw refusal(name, answer);
  if (answer.state.states === undefined) {
    const { states, requested, granted, currency } = before;
    await forgetting.note(name, { states, requested, granted, currency });
  }
  const took = { ...nothingLeft(answer.state), dropFolders: [] as string[] };
  const files: FilesDeps = { ...deps, archives, forgetting, signal: options.signal };
  const noteFiles = (digests: readonly string[]) => forgetting.noteFiles(name, digests);
  // The records say which files are the portfolio's. All of them are read here, before the steps below erase the first record.
  const folders = await ownArchives(dir, { account, name, state: answer.state });
  // An archive that is incomplete or half removed is passed over: its content is also in Redis or in another archive, or was noted before.
  const whole = folders.filter((folder) => !folder.endsWith(PART));
  const names = await namesOfFiles(name, whole, deps);
  const stopped = `Forgetting ${name} was stopped half way: say limitline forget "${name}" again, and it goes on.`;
  const reportStep = makeReportStep(options, archivedRows(before), stopped);
  const isAnyEvent = async () => (await connection.zcard(keys.eventsLately)) > 0;
  const steps: Record<ForgetStep, () => Promise<unknown>> = {
    'files named': () => noteNamedFiles(name, whole, files),
    async events() {
      // Rows are looked up only if there are events at all: looking up a million rows takes long.
      if (await isAnyEvent())
        took.events += await forgetEventsByNumber(name, whole, { ...deps, signal: options.signal });
    },
    async rows() {
      for await (const rows of forgetting.rows(name)) await reportStep('rows', rows);
    },
    jobs: () => forgetJobs(name, deps),
    async buyers() {
      took.buyers = await forgetBuyers(name, { ...files, buyers: deps.buyers });
    },
    async calls() {
      const isAny = await isAnyEvent();
      for await (const ids of forgetting.calls(name)) if (isAny) took.events += await deps.events.forget(ids);
    },
    beside: () => makeForgetBeside(ledger)(name, names),
    reports: () => forgetReported(name, [...names], { ...deps, forgetInReports: makeForgetInReports(ledger) }),
    async uploads() {
      const imports = await deps.portfolios.allImports(name);
      took.uploads = await forgetUploads({ portfolio: name, imports, fileNames: names }, { ...deps, noteFiles });
    },
    async 'drop folder'() {
      took.dropFolders = (await forgetDropped(name, { ...deps, noteFiles })).elsewhere;
    },
    async files() {
      took.files = await removeNamedFiles(name, folders, files);
    },
    async archives() {
      await forgetting.note(name, { sizeBytes: 0 });
      for (const folder of folders) await removeArchive(folder);
      await removeEmpty(dir);
      await forgetKept(name, deps);
    },
    async end() {
      took.state = await forgetting.end(name);
    },
  };
  for (const step of FORGET_STEPS) {
    await reportStep(step);
    await steps[step]();
  }
  return took;
}

function nothingLeft(state: ArchiveState): Forgotten {
  return {
    state,
    buyers: { forgotten: 0, shared: 0 },
    files: { removed: 0, needed: 0 },
    uploads: 0,
    events: 0,
    dropFolders: [],
  };
}

/** Refuses to forget an archived portfolio whose archive is not in this data folder: only the archive names the portfolio's files. */
function mustHaveArchive(name: string, state: ArchiveState | undefined, dir: string): void {
  if (!state || state.is === 'forgotten' || !state.sizeBytes || existsSync(join(dir, state.id))) return;
  const words = `Portfolio ${name} is archived, and its archive is not in this data folder (${join(dir, state.id)}). Forget the portfolio on the host that has the archive, or put the folder back, or make an empty one if the folder is lost for good. Nothing was changed.`;
  throw new LimitlineError('FILE', words);
}

/**
 * Refuses to forget a portfolio whose archive is damaged, before anything is erased. Otherwise, the portfolio could neither be forgotten
 * completely nor restored.
 */
async function mustBeRead(name: string, state: ArchiveState | undefined, dir: string): Promise<void> {
  if (state?.is !== 'archived') return;
  try {
    for await (const path of namingFiles(join(dir, state.id))) for await (const _digests of namedDigestsIn(path));
  } catch (error) {
    const words = `Portfolio ${name} is archived, and its archive is damaged: put its folder back from a copy. If there is no copy, remove the damaged file: what only that file names is then not erased. Nothing was changed. ${messageOf(error)}`;
    throw new LimitlineError('FILE', words, { cause: error });
  }
}

/** The names of the files that were imported into the portfolio: mappings, reports and other records contain them. */
async function namesOfFiles(
  name: string,
  folders: readonly string[],
  { portfolios, inbox }: ForgetDeps,
): Promise<Set<string>> {
  const names = new Set<string>();
  for (const folder of folders) for (const fileName of await fileNamesOf(folder)) names.add(fileName);
  for (const { fileName } of await portfolios.allImports(name)) names.add(fileName);
  for await (const page of inbox.ofPortfolio(name)) for (const file of page) names.add(file.name).add(file.id);
  // An import from a pipe has an empty name, by which nothing can be found.
  names.delete('');
  return names;
}

/** Removes failed jobs, which are kept for the board. They contain only keys of rows. */
async function forgetJobs(name: string, { queues }: ForgetDeps): Promise<void> {
  const rows = [...((await queues.failedRows()).get(name) ?? [])];
  for (let from = 0; from < rows.length; from += JOBS_AT_ONCE) {
    await queues.forget(rows.slice(from, from + JOBS_AT_ONCE).map((key) => ({ portfolio: name, key })));
  }
}

const JOBS_AT_ONCE = 100;

/**
 * The portfolio's archive folders: the current one, older ones of a restored portfolio, and incomplete ones. Folders of another
 * ledger with the same account and name are left out, by the start time in their manifest.
 *
 * @param dir the folder of all archives of the portfolio
 * @throws LimitlineError `FILE` where it cannot be read
 */
async function ownArchives(
  dir: string,
  { account, name, state }: { account: string; name: string; state: Pick<ArchiveState, 'id' | 'startedMs'> },
): Promise<string[]> {
  const own: string[] = [];
  for (const { name: folder } of await entriesIn(dir)) {
    const path = join(dir, folder);
    const isSure = folder === state.id || folder.endsWith(PART);
    const manifest = isSure ? undefined : await readManifest(path, { account, name }).catch(() => undefined);
    if (isSure || manifest?.startedMs === state.startedMs) own.push(path);
  }
  return own;
}
