import { join } from 'node:path';
import type { TakenFile } from '../../src/ledger/inbox/taken-file.ts';
import { leaveResults } from '../export/leave-results.ts';
import { DONE } from './dropped-names.ts';
import type { RoundDeps } from './inbox-deps.ts';
import { statOf } from './move-over.ts';

/**
 * Leaves the results of portfolios that have settled beside the files that were imported into them, and an errors file of what is
 * to be mended. Each is left once: what becomes of a portfolio later, `report` tells.
 *
 * @returns the portfolios
 */
export async function leaveOpenResults(deps: RoundDeps): Promise<string[]> {
  const { inbox, portfolios, drop, signal } = deps;
  const left: string[] = [];
  for (const file of await inbox.open()) {
    signal.throwIfAborted();
    if (file.folder !== drop.id) continue;
    const { finishedMs, states, importing } = await portfolios.read(file.portfolio);
    if (finishedMs === undefined || importing) continue;
    const isMending = states.refused > 0 || (file.found?.invalid ?? 0) > 0;
    await leaveOne(file, isMending, deps);
    left.push(file.portfolio);
  }
  return left;
}

async function leaveOne(file: TakenFile, isMending: boolean, deps: RoundDeps): Promise<void> {
  const { account, rows, portfolios, imports, leftFiles, signal, inbox, drop, log } = deps;
  const { id, portfolio } = file;
  const [csv, xlsx] = ['.csv', '.xlsx'].map((ending) => join(drop.dir, DONE, id + ending)) as [string, string];
  // Whoever may read the file may read its results.
  const path = (await statOf(xlsx)) ? xlsx : csv;
  const exportDeps = { account, rows, portfolios, imports, signal, leftFiles };
  const { results, fault } = await leaveResults({ portfolio, path }, isMending, exportDeps);
  // A disk that is full now may have room at the next look.
  if (fault !== null) return log.warn({ portfolio, reason: fault }, 'results could not be left in the drop folder yet');
  await inbox.note({ ...file, results: results === null ? '' : results.slice(join(drop.dir, DONE).length + 1) });
}
