import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { messageOf } from '../../src/errors.ts';
import { type FileDraft, writeDraft } from '../../src/files/draft.ts';
import type { LeftFiles, Names, Whose } from '../../src/files/left-files.ts';
import { vocabularyOf } from '../../src/portfolio/columns/judge-header.ts';
import { openTable } from '../../src/table/open-table.ts';
import { type ExportDeps, type ExportPayload, exportResults } from './export-results.ts';

/** Where a run leaves its results. `path` is the file that was run; null for one that came through standard input. */
type ResultsPlace = {
  portfolio: string;
  path: string | null;
  /** Another folder than the file's own. */
  dir?: string | undefined;
};

/** What was left: paths, and what could not be written and why. */
export type LeftResults = {
  results: string | null;
  errors: string | null;
  /** Errors files of before that are true no longer, and went. */
  removed: string[];
  /** The same, but somebody has written into them: they are not ours to remove. */
  kept: string[];
  /** The first names of those that had to get another, since something else bears them. */
  taken: string[];
  /** What an earlier run had to give another name, and is gone now that the first name was free. */
  outdated: string[];
  fault: string | null;
};

type LeaveDeps = ExportDeps & {
  leftFiles: LeftFiles;
  /** The file in which the results stand already, if any. */
  finishedResults?: (portfolio: string) => Promise<string | undefined>;
};

/**
 * Leaves the results of a portfolio beside its file, and an errors file if any line is to be corrected; an errors file of
 * before that is true no longer goes. Nothing is replaced or removed but what a run has left, and nobody has touched since.
 *
 * @param mending whether any line may have to be corrected: a portfolio of which all is well need not be gone through for it
 * @returns also where nothing could be written: the results are there for the asking, and the run ends as it ended
 */
export async function leaveResults(place: ResultsPlace, mending: boolean, deps: LeaveDeps): Promise<LeftResults> {
  const left: LeftResults = {
    results: null,
    errors: null,
    removed: [],
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
    const write = async (kind: LeftKind): Promise<string | null> => {
      const names = namesFor(kind, dir, stem);
      const draft = await draftOf(kind, { dir, name: basename(names(1)), mode: await modeOf(path) }, portfolio, deps);
      try {
        // It may turn out that no line is to be corrected in a file.
        if (kind === 'errors' && !(await hasRecords(draft))) return null;
        const { path: found, outdated } = await deps.leftFiles.leave(draft, names, whose);
        if (found !== names(1)) left.taken.push(names(1));
        left.outdated.push(...outdated);
        return found;
      } finally {
        await draft.drop();
      }
    };
    left.results = await write('results');
    left.errors = mending ? await write('errors') : null;
    if (left.errors === null) Object.assign(left, await deps.leftFiles.withdraw(namesFor('errors', dir, stem), whose));
  } catch (error) {
    if (deps.signal.aborted) throw error;
    left.fault = messageOf(error);
  }
  return left;
}

/** An errors file of this portfolio that was mended and run is no file of its own: its results are those of the first. */
async function stemFor({ portfolio, path }: ResultsPlace, leftFiles: LeftFiles): Promise<string> {
  if (path === null) return portfolio;
  const earlier = stemOfErrors(path);
  if (earlier === undefined) return stemOf(path);
  return (await leftFiles.whose(resolve(path)))?.portfolio === portfolio ? earlier : stemOf(path);
}

/** No more people may read the results than the file that they are of; what came through a pipe is for its owner. */
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
  // With the delimiter of the file: whoever opened that by a double click opens these in the same way.
  const payload: ExportPayload = { portfolio, only, likeInput: 'cells' };
  const write = async (to: Writable) => {
    const known = only === 'all' ? await deps.finishedResults?.(portfolio) : undefined;
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

/** What a run leaves: all lines, and those that want mending. */
type LeftKind = 'results' | 'errors';

/**
 * `buyers.csv` leads to `buyers.results.csv`, and if that is somebody else's to `buyers.results-2.csv`. Any other ending stays
 * in the name, so that `buyers.csv` and `buyers.xlsx` in one folder do not share their results: `buyers.xlsx.results.csv`.
 *
 * @param stem see {@link stemOf}
 */
function namesFor(kind: LeftKind, dir: string, stem: string): Names {
  return (number) => join(dir, `${stem}.${kind}${number === 1 ? '' : `-${number}`}.csv`);
}

/** What the results of a file are called after: its name without `.csv`. */
function stemOf(path: string): string {
  return basename(path).replace(/\.csv$/i, '');
}

/** What an errors file of ours was called after: mended and run, its results are those of the file that it came of. */
function stemOfErrors(path: string): string | undefined {
  return /^(.+)\.errors(?:-\d+)?\.csv$/.exec(basename(path))?.[1];
}
