import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LimitlineError, messageOf } from '../../src/errors.ts';
import { entriesIn } from '../../src/files/file-fault.ts';
import { makeForgetBeside, makeForgetting } from '../../src/ledger/archive/forgetting.ts';
import type { Inbox } from '../../src/ledger/inbox/inbox.ts';
import { makeForgetInReports } from '../../src/ledger/nightly/reports.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Buyers } from '../../src/ledger/rows/buyers.ts';
import { type ArchiveState, archivedRows, makeArchives } from '../../src/ledger/schema/archives.ts';
import type { Keys } from '../../src/ledger/schema/keys.ts';
import type { RedisConnection } from '../../src/lua-script.ts';
import type { Queues } from '../../src/queue/queues.ts';
import { forgetKept } from '../export/keep-results.ts';
import { removeEmpty } from '../inbox/drop-folder.ts';
import { PART, portfolioFolder, removeArchive } from './archive-folders.ts';
import { forgetBuyers } from './forget-buyers.ts';
import { forgetEventsByNumber } from './forget-events.ts';
import { type FilesDeps, noteNamedFiles, removeNamedFiles } from './forget-files.ts';
import { forgetDropped, forgetUploads } from './forget-received.ts';
import { forgetReported } from './forget-reports.ts';
import { type LongWorkOptions, makeReportStep } from './long-work.ts';
import { readManifest } from './manifest.ts';
import { lookBeforeForgetting, refusal } from './may-forget.ts';
import { fileNamesOf, namedDigestsIn, namingFiles } from './named-digests.ts';

export type ForgetDeps = Pick<FilesDeps, 'walkRows' | 'otherAccounts' | 'storedFiles' | 'storedDocuments'> & {
  account: string;
  ledger: RedisConnection;
  keys: Keys;
  portfolios: Portfolios;
  buyers: Pick<Buyers, 'records'>;
  inbox: Inbox;
  queues: Pick<Queues, 'failedRows' | 'forget'>;
  /** The service's events: those go in which ids of the portfolio or numbers of its companies stand. */
  events: { forget(ids: readonly string[]): Promise<number> };
  redis: { where: string };
  settings: { LIMITLINE_DATA: string; LIMITLINE_INBOX?: string | undefined; REDIS_URL?: unknown };
};

/** What forgetting a portfolio is made of, in this order. */
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

/** Who asks, in words, and what ends it before its end. */
export type ForgettingOptions = LongWorkOptions<ForgetStep> & { by: string };

/** What became of it. Counts are of this run: one that goes on finds less. */
export type Forgotten = {
  state: ArchiveState;
  /** Buyers of whom nothing but digests is left, and those that other portfolios ask for. */
  buyers: { forgotten: number; shared: number };
  /** Copies of imported files and documents that went, and that others need. */
  files: { removed: number; needed: number };
  uploads: number;
  events: number;
  /** Drop folders that this process does not have, by their own names: files of the portfolio may lie in them. */
  dropFolders: readonly string[];
};

/**
 * Takes what is known of people in a portfolio out of all that is kept, for good (GDPR, article 17). What keeps its requests from
 * being made twice stays: digests, ids and amounts. Whoever is killed meanwhile asks again, and it goes on; until the end nothing else
 * can be done to the portfolio.
 *
 * @throws LimitlineError `USAGE` where it may not be forgotten now, `NOT_FOUND`, `FILE` where a file cannot be read or removed
 */
export async function forgetPortfolio(name: string, options: ForgettingOptions, deps: ForgetDeps): Promise<Forgotten> {
  const { ledger: connection, keys, account, settings } = deps;
  const ledger = { connection, keys };
  const archives = makeArchives(ledger);
  const forgetting = makeForgetting(ledger);
  const dir = portfolioFolder({ dataDir: settings.LIMITLINE_DATA, account, portfolio: name });
  const before = await lookBeforeForgetting(name, { archives, portfolios: deps.portfolios });
  mustHaveArchive(name, before.state, dir);
  await mustBeRead(name, before.state, dir);
  const answer = await forgetting.begin(name, { id: randomBytes(9).toString('base64url'), by: options.by });
  if (answer.is === 'forgotten') return nothingLeft(answer.state);
  if (answer.is !== 'go') throw refusal(name, answer);
  if (answer.state.states === undefined) {
    const { states, requested, granted } = before;
    await forgetting.note(name, { states, requested, granted });
  }
  const took = { ...nothingLeft(answer.state), dropFolders: [] as string[] };
  const files: FilesDeps = { ...deps, archives, forgetting, signal: options.signal };
  const noteFiles = (digests: readonly string[]) => forgetting.noteFiles(name, digests);
  // Whatever tells names of files, before any of it goes.
  const folders = await ownArchives(dir, { account, name, state: answer.state });
  // What was not written to its end, or is removed by half, has nothing that is not elsewhere, or was not noted before.
  const whole = folders.filter((folder) => !folder.endsWith(PART));
  const names = await namesOfFiles(name, whole, deps);
  const stopped = `Forgetting ${name} was stopped half way: say limitline forget "${name}" again, and it goes on.`;
  const reportStep = makeReportStep(options, archivedRows(before), stopped);
  const isAnyEvent = async () => (await connection.zcard(keys.eventsLately)) > 0;
  const steps: Record<ForgetStep, () => Promise<unknown>> = {
    'files named': () => noteNamedFiles(name, whole, files),
    async events() {
      // Of a million rows each would be asked for.
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

/** Its rows are in its archive alone: without it nobody knows what it named, and it would be left where it is. */
function mustHaveArchive(name: string, state: ArchiveState | undefined, dir: string): void {
  if (!state || state.is === 'forgotten' || !state.sizeBytes || existsSync(join(dir, state.id))) return;
  const words = `${name} is archived, and its archive is not in this data folder (${join(dir, state.id)}): forget it on the host that has it, put the folder back, or make an empty one where it is lost for good. Nothing was changed.`;
  throw new LimitlineError('FILE', words);
}

/** Where an archive is damaged, what it named is not known; begun all the same, it could neither be forgotten to its end nor restored. */
async function mustBeRead(name: string, state: ArchiveState | undefined, dir: string): Promise<void> {
  if (state?.is !== 'archived') return;
  try {
    for await (const path of namingFiles(join(dir, state.id))) for await (const _digests of namedDigestsIn(path));
  } catch (error) {
    const words = `${name} is archived, and its archive is damaged: put its folder back from a copy, or remove the file where there is none, and what only that file names stays. Nothing was changed. ${messageOf(error)}`;
    throw new LimitlineError('FILE', words, { cause: error });
  }
}

/** What files are called that came into it: other things name them. */
async function namesOfFiles(
  name: string,
  folders: readonly string[],
  { portfolios, inbox }: ForgetDeps,
): Promise<Set<string>> {
  const names = new Set<string>();
  for (const folder of folders) for (const fileName of await fileNamesOf(folder)) names.add(fileName);
  for (const { fileName } of await portfolios.allImports(name)) names.add(fileName);
  for await (const page of inbox.ofPortfolio(name)) for (const file of page) names.add(file.name).add(file.id);
  // What came through a pipe is called by nothing.
  names.delete('');
  return names;
}

/** Failed jobs are kept for the board of the queues; they name a row, and nobody. */
async function forgetJobs(name: string, { queues }: ForgetDeps): Promise<void> {
  const rows = [...((await queues.failedRows()).get(name) ?? [])];
  for (let from = 0; from < rows.length; from += JOBS_AT_ONCE) {
    await queues.forget(rows.slice(from, from + JOBS_AT_ONCE).map((key) => ({ portfolio: name, key })));
  }
}

const JOBS_AT_ONCE = 100;

/**
 * The folders of a portfolio's archives: that of its state, those of before that a restored portfolio has, and what a killed process
 * did not write to its end. Another ledger may have the same data folder, account and name: its portfolio was begun at another moment.
 *
 * @param dir the folder of all archives of the portfolio
 * @throws LimitlineError `FILE` where it cannot be looked into
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
