import type { AskedFor } from '../../src/ledger/approvals/approval-look.ts';
import type { Elsewhere } from '../../src/ledger/plans/plan.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import type { Stories } from '../../src/ledger/rows/story.ts';
import type { RowResult } from '../../src/ledger/schema/row.ts';
import { type RowId, rowName } from '../../src/ledger/schema/schema.ts';
import type { ResolvedRow } from '../../src/ledger/story/held-plan.ts';
import { callInDoubt } from '../rows/calls-of.ts';
import { type FoundRow, readFound } from '../rows/walk-rows.ts';
import { heldPages } from './free-held.ts';
import { callName } from './id-faults.ts';

/**
 * The result of answers: how many calls were resolved and how many rows released. `elsewhere`: rows of other portfolios that were released.
 * `of`: the rows, if they were named one by one. `waits`: the approval by another person that the answers wait for. Either all of them wait
 * for it, or only the answers to calls of which somebody declined an earlier answer.
 */
export type ResolutionSummary = {
  calls: number;
  rows: number;
  elsewhere?: Elsewhere[] | undefined;
  of?: ResolvedRow[];
  waits?: AskedFor;
  looked?: Looked;
  /** The reason why a person should look at the given id again, if there is one. */
  strange?: string | undefined;
};

/** When a person looked at a held row, and since when it had been held, both in ms. */
export type Looked = { lookedMs: number; heldMs: number };

export function resolvedOf(
  { row, result: { line, importId, step, request, problem } }: FoundRow,
  made: string | undefined,
  imports: ReadonlyMap<string, string>,
): ResolvedRow {
  return {
    line,
    import: imports.get(importId) ?? '',
    row: rowName(row),
    step,
    name: request.name,
    requested_limit: request.limit.requested_limit,
    ...(made === undefined ? answeredOf(problem) : { made }),
  };
}

/** The status of an answer of success that came to a held row's call and could not be read, if one came. */
export function answeredOf(problem: RowResult['problem']): Pick<ResolvedRow, 'answered'> {
  const [, status] = ANSWERED.exec(problem?.message ?? '') ?? [];
  return status === undefined ? {} : { answered: Number(status) };
}

/** As row-problem.ts and answer-meaning.ts write it. The status of the answer comes first: its text, after a colon, may name others. */
const ANSWERED = /^It is unknown whether .*? was made: (?:sent \S+, then )?(?:[^:]* after )?status (2\d\d)\b/s;

export type ElsewhereDeps = Parameters<typeof callInDoubt>[1] & {
  rows: Pick<Rows, 'read'>;
  portfolios: Pick<Portfolios, 'read'>;
  stories: Pick<Stories, 'held' | 'heldCount'>;
};

/** Counts held rows of other portfolios that wait for the same calls as these held rows. */
export async function heldElsewhere(
  portfolio: string,
  meant: AsyncIterable<readonly FoundRow[]> | Iterable<readonly FoundRow[]>,
  deps: ElsewhereDeps,
): Promise<Elsewhere[] | undefined> {
  const { states } = await deps.portfolios.read(portfolio);
  if ((await deps.stories.heldCount()) === states.held) return undefined;
  const callOf = async (found: FoundRow) => {
    const call = await callInDoubt(found, deps);
    return call && callName(call);
  };
  const calls = new Set<string | undefined>();
  for await (const page of meant) for (const call of await Promise.all(page.map(callOf))) calls.add(call);
  const same: RowId[] = [];
  for await (const page of heldPages(deps)) {
    const elsewhere = page.filter((row) => row.portfolio !== portfolio);
    const others = (await readFound(elsewhere, deps.rows)).filter(({ result }) => result.state === 'held');
    const waitFor = await Promise.all(others.map(callOf));
    same.push(...others.flatMap(({ row }, place) => (calls.has(waitFor[place]) ? [row] : [])));
  }
  return countElsewhere(portfolio, same, deps);
}

/** Counts rows of other portfolios by portfolio; nothing if there are none. */
export async function countElsewhere(
  portfolio: string,
  rows: readonly RowId[],
  { portfolios }: Pick<ElsewhereDeps, 'portfolios'>,
): Promise<Elsewhere[] | undefined> {
  const names = [...new Set(rows.map((row) => row.portfolio))].filter((name) => name !== portfolio);
  if (names.length === 0) return undefined;
  return Promise.all(
    names.map(async (name) => ({
      portfolio: name,
      rows: rows.filter((row) => row.portfolio === name).length,
      paused: (await portfolios.read(name)).paused !== undefined,
    })),
  );
}
