import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { messageOf } from '../../src/errors.ts';
import { type FileDraft, writeDraft } from '../../src/files/draft.ts';
import type { LeftFiles, Names, Whose } from '../../src/files/left-files.ts';
import type { KnownImport } from '../../src/ledger/portfolios/imports.ts';
import { vocabularyOf } from '../../src/portfolio/columns/judge-header.ts';
import { openTable } from '../../src/table/open-table.ts';
import { type ExportDeps, type ExportPayload, exportResults } from './export-results.ts';

/** Where a run writes its results. `path`: the file that was run; null for standard input. */
type ResultsPlace = {
  portfolio: string;
  path: string | null;
  /** A folder instead of the file's own. */
  dir?: string | undefined;
};

/** The paths of results files, and what could not be written. */
export type LeftResults = {
  results: string | null;
  errors: string | null;
  /** Outdated errors files that were removed. */
  removed: string[];
  /** Errors files that stay, because they have lines of earlier files, which no later one corrected. */
  uncorrected: string[];
  /** Errors files that stay, because somebody has edited them, or they are no files of this portfolio. */
  kept: string[];
  /** The wanted names that other files had already, so that the written file got another name. */
  taken: string[];
  /** Files that an earlier run had to name differently, removed now that the wanted name is free. */
  outdated: string[];
  fault: string | null;
};

type LeaveDeps = ExportDeps & {
  leftFiles: LeftFiles;
  /** The path of results that are written already, if any. */
  finishedResults?: (portfolio: string) => Promise<string | undefined>;
  /** Whether lines of an earlier import are still to be corrected. Its errors file stays then; without this, it does not. */
  hasUnrequested?: (of: { portfolio: string; number: number }) => Promise<boolean>;
};

/**
 * Writes a portfolio's results beside its file, and an errors file if lines need correction. Removes an outdated errors file.
 * Replaces and removes only files that a run wrote and nobody has edited since.
 *
 * @param mending whether any line may need correction; otherwise the portfolio is not searched for such lines
 * @returns the result also on failure, as `fault`: the run's status does not depend on these files
 */
export async function leaveResults(place: ResultsPlace, mending: boolean, deps: LeaveDeps): Promise<LeftResults> {
  const left: LeftResults = {
    results: null,
    errors: null,
    removed: [],
    uncorrected: [],
    kept: [],
    taken: [],
    outdated: [],
    fault: null,
  };
  const { portfolio, path } = place;
  const whose: Whose = { account: deps.account, portfolio };
  const dir = resolve(place.dir ?? (path === null ? '.' : dirname(path)));
  try {
    const stem = await stemFor(place, deps.leftFiles);
    const [last, ...earlier] = await importsOf(portfolio, deps);
    const write = async (kind: LeftKind): Promise<string | null> => {
      const names = namesFor(kind, dir, stem);
      const draft = await draftOf(kind, { dir, name: basename(names(1)), mode: await modeOf(path) }, portfolio, deps);
      try {
        // It may turn out that no line needs correction: then no errors file is left.
        if (kind === 'errors' && !(await hasRecords(draft))) return null;
        const { path: found, outdated } = await deps.leftFiles.leave(draft, names, whose, last?.number);
        if (found !== names(1)) left.taken.push(names(1));
        left.outdated.push(...outdated);
        return found;
      } finally {
        await draft.drop();
      }
    };
    left.results = await write('results');
    const errors = namesFor('errors', dir, stem);
    const { hasUnrequested } = deps;
    if (hasUnrequested) {
      const named = earlier.filter(({ fileName }) => (stemOfErrors(fileName) ?? stemOf(fileName)) === stem);
      left.uncorrected = await deps.leftFiles.letGo(errors, whose, async (of) => {
        for (const number of of === undefined ? named.map((known) => known.number) : [of])
          if (number !== last?.number && (await hasUnrequested({ portfolio, number }))) return true;
        return false;
      });
    }
    left.errors = mending ? await write('errors') : null;
    if (left.errors === null) Object.assign(left, await deps.leftFiles.withdraw(errors, whose));
  } catch (error) {
    if (deps.signal.aborted) throw error;
    left.fault = messageOf(error);
  }
  return left;
}

/** The beginning of the names of results files. The results of a corrected errors file of this portfolio replace those of the first file. */
async function stemFor({ portfolio, path }: ResultsPlace, leftFiles: LeftFiles): Promise<string> {
  if (path === null) return portfolio;
  const earlier = stemOfErrors(path);
  if (earlier === undefined) return stemOf(path);
  return (await leftFiles.whose(resolve(path)))?.portfolio === portfolio ? earlier : stemOf(path);
}

/** The imports of a portfolio, the last one first. */
async function importsOf(portfolio: string, { portfolios }: Pick<LeaveDeps, 'portfolios'>): Promise<KnownImport[]> {
  return (await portfolios.allImports(portfolio)).sort((one, other) => other.lastMs - one.lastMs);
}

/** The permissions of results files: at most those of the file that was run. Results of standard input are for their owner only. */
async function modeOf(path: string | null): Promise<number> {
  const found = path === null ? undefined : await stat(path).catch(() => undefined);
  return (found ? found.mode & 0o666 : 0) | 0o600;
}

function draftOf(
  kind: LeftKind,
  where: { dir: string; name: string; mode: number },
  portfolio: string,
  deps: LeaveDeps,
): Promise<FileDraft> {
  const only = kind === 'errors' ? 'errors' : 'all';
  // The results have the file's delimiter, so that a double click opens them in the same way.
  const payload: ExportPayload = { portfolio, only, likeInput: 'cells' };
  const write = async (to: Writable) => {
    // A kept file is as old as the portfolio's end, and links may have come since.
    const hasLinks = await deps.calls?.sessions.isUsed();
    const known = only === 'all' && !hasLinks ? await deps.finishedResults?.(portfolio) : undefined;
    return known === undefined ? exportResults(payload, to, deps) : pipeline(createReadStream(known), to);
  };
  return writeDraft({ ...where, write });
}

async function hasRecords({ path }: FileDraft): Promise<boolean> {
  const table = await openTable({ path, vocabulary: vocabularyOf() });
  try {
    do if (table.next()) return true;
    while (await table.more());
    return false;
  } finally {
    await table.close();
  }
}

/** The kinds of files that a run leaves: `results` with all lines, `errors` with those that need correction. */
type LeftKind = 'results' | 'errors';

/**
 * `buyers.csv` leads to `buyers.results.csv`, or to `buyers.results-2.csv` if that name is taken. Other endings stay in the
 * name, so that files of one folder never share results: `buyers.xlsx.results.csv`.
 *
 * @param stem see {@link stemOf}
 */
function namesFor(kind: LeftKind, dir: string, stem: string): Names {
  return (number) => join(dir, `${stem}.${kind}${number === 1 ? '' : `-${number}`}.csv`);
}

/** The base name of a file's results: its name without `.csv`. */
function stemOf(path: string): string {
  return basename(path).replace(/\.csv$/i, '');
}

/** The original base name of an errors file: its results are named after the file that it comes from. */
function stemOfErrors(path: string): string | undefined {
  return /^(.+)\.errors(?:-\d+)?\.csv$/.exec(basename(path))?.[1];
}
