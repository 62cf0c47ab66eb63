import { commandLineActor } from '../../src/actor.ts';
import type { AskedFor } from '../../src/ledger/approvals/approval-look.ts';
import type { Calls } from '../../src/ledger/calls/calls.ts';
import type { Elsewhere, Plans } from '../../src/ledger/plans/plan.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import type { Stories } from '../../src/ledger/rows/story.ts';
import type { RowResult } from '../../src/ledger/schema/row.ts';
import { type RowId, rowIdOf, rowName } from '../../src/ledger/schema/schema.ts';
import type { ResolvedRow } from '../../src/ledger/story/held-plan.ts';
import type { Resolution, ResolutionFile } from '../../src/portfolio/results/resolution-file.ts';
import { feed } from '../rows/feed.ts';
import { importNames } from '../rows/import-names.ts';
import { type CallInDoubt, callInDoubt, type FoundRow, readFound } from '../rows/walk-rows.ts';
import { type AskDeps, askFirst, justThese, RESEND } from './ask-first.ts';
import { explainLine, explainRow, rowAtLine, rowByName } from './explain-rows.ts';
import { type FreeDeps, freeHeld, heldPages, sendAgain } from './free-held.ts';
import { callName, otherCallFault, prefixFault, readKnownIds } from './id-faults.ts';

/** An answer in the file: its line, the id if given, and the held row and call that it concerns. */
export type Planned = { at: number; made: string | undefined; found: FoundRow; call: CallInDoubt };

/** A file's answers in its order, all problems by line, and when the rows were read. */
export type HeldFilePlan = { planned: Planned[]; problems: ResolutionFile['problems']; lookedMs: number };

export type HeldFileDeps = { rows: Rows; portfolios: Portfolios; calls: Calls; plans: Pick<Plans, 'now'> };

/** Makes sentences about answers that contradict an earlier one: `otherwise` for two answers about one call, `given` for an id given twice. */
export type AnswerPlaces = Readonly<Record<'otherwise' | 'given', (other: Planned, answer: Planned) => string>>;

const IN_FILE: AnswerPlaces = {
  otherwise: ({ at }, { call }) =>
    `Another line of this file, line ${at}, says something else about the same ${call.kind}.`,
  given: ({ at }, { made }) => `"${made}" is already given for another row, in line ${at}.`,
};

/**
 * Finds the held row of each line, and all problems: the row is not held, or the id has another kind's prefix, is given twice,
 * or belongs to another row. Changes nothing.
 *
 * @param portfolio undefined for rows of any portfolio, by their names
 */
export async function planHeldFile(
  portfolio: string | undefined,
  file: ResolutionFile,
  deps: HeldFileDeps,
  places = IN_FILE,
): Promise<HeldFilePlan> {
  const plan: HeldFilePlan = { planned: [], problems: [...file.problems], lookedMs: await deps.plans.now() };
  for (const said of file.words) {
    const { at, made } = said;
    const found = await heldRow(portfolio ?? rowIdOf(said.row)?.portfolio ?? '', said, deps);
    const call = typeof found === 'string' ? undefined : await callInDoubt(found, deps);
    const fault =
      typeof found === 'string' ? found : (prefixFault(made, found) ?? (await laterCallFault(said, call, deps)));
    if (fault !== undefined) plan.problems.push({ at, message: fault });
    else if (typeof found !== 'string' && call) plan.planned.push({ at, made, found, call });
  }
  plan.problems.push(...contradictions(plan.planned, places), ...(await knownElsewhere(plan.planned, deps)));
  plan.problems.sort((a, b) => a.at - b.at);
  return plan;
}

/**
 * Executes a file's answers about held rows in order, unless another person has to approve. Leaves alone calls that were
 * answered meanwhile or lost again.
 *
 * @param onResolved called for each row as it is resolved
 * @param who.by who answers: by default whoever runs the command; `madeBy`: who sent the file
 */
export async function resolvePlan(
  { planned, lookedMs }: HeldFilePlan,
  deps: FreeDeps & AskDeps,
  onResolved: (resolved: ResolvedRow) => void,
  { by = commandLineActor(), madeBy }: { by?: string; madeBy?: string } = {},
): Promise<ResolutionSummary> {
  const resolution: ResolutionSummary & { of: ResolvedRow[] } = { calls: 0, rows: 0, of: [] };
  const [first] = planned;
  const imports = first ? await importNames(first.found.row.portfolio, deps) : new Map<string, string>();
  const portfolio = first?.found.row.portfolio ?? '';
  const ask = async (some: HeldFilePlan['planned']): Promise<AskedFor | undefined> => {
    const requested = some.map(({ found, made, call }) => ({ found, said: made ?? RESEND, of: call }));
    return askFirst({ portfolio, kind: 'answer', by, madeBy, asOfMs: lookedMs }, () => justThese(requested), deps);
  };
  const waits = await ask(planned);
  if (waits) return { ...resolution, ...(waits.rows > 0 ? { waits } : {}) };
  const declined: HeldFilePlan['planned'] = [];
  for (const one of planned) {
    const { made, found, call } = one;
    // Where an earlier line has resolved the same call, `freeHeld` at the end lets this row go on.
    const said = { by, row: found.row, asOfMs: lookedMs };
    const answer = await deps.calls.resolve([call], found.result.request.buyer, made, said);
    if (answer === 'declined') {
      declined.push(one);
      continue;
    }
    if (answer === 'resolved') {
      resolution.calls += 1;
      if (await sendAgain(found.row, 'held', deps)) resolution.rows += 1;
    }
    const resolved = resolvedOf(found, made, imports);
    resolution.of.push(resolved);
    onResolved(resolved);
  }
  const freed = await freeHeld(deps);
  resolution.rows += freed.length;
  if (first) resolution.elsewhere = await countElsewhere(portfolio, freed, deps);
  // Somebody declined these answers meanwhile, in another portfolio. So another person has to approve them.
  const asked = declined.length > 0 ? await ask(declined) : undefined;
  if (asked && asked.rows > 0) resolution.waits = asked;
  await feed(deps);
  return resolution;
}

/** A sentence that says that the call was sent again after the file was written, so that the file's answer is about an earlier call. */
async function laterCallFault(
  { updatedMs }: Resolution,
  call: CallInDoubt | undefined,
  { calls }: HeldFileDeps,
): Promise<string | undefined> {
  if (updatedMs === undefined || !call) return undefined;
  const sentMs = await calls.lostMs(call);
  if (sentMs <= updatedMs) return undefined;
  return `Its call was sent again at ${new Date(sentMs).toISOString()}, after this file was written, and that answer was lost, too. Write the file again, and answer for that call.`;
}

/** The held row, or a sentence that says why there is none. */
async function heldRow(
  portfolio: string,
  { row: name, line }: Resolution,
  deps: HeldFileDeps,
): Promise<FoundRow | string> {
  if (name !== '') {
    const found = await rowByName(portfolio, name, deps);
    return typeof found === 'string' || found.result.state === 'held' ? found : explainRow(found, deps);
  }
  if (line === undefined) return 'It names no row.';
  const found = await rowAtLine(portfolio, { state: 'held', line }, deps);
  return typeof found === 'string'
    ? `${found} Choose one in the column row.`
    : (found ?? explainLine(portfolio, line, deps));
}

/** The problems of answers that contradict each other: different answers about one call, which rows may share, or one id for two calls. */
function contradictions(planned: readonly Planned[], places: AnswerPlaces): ResolutionFile['problems'] {
  const byCall = new Map<string, Planned>();
  const byId = new Map<string, Planned>();
  const problems: ResolutionFile['problems'] = [];
  for (const each of planned) {
    const { at, made, call } = each;
    const name = callName(call);
    const same = byCall.get(name);
    const used = made === undefined ? undefined : byId.get(made);
    if (same && same.made !== made) {
      problems.push({ at, message: places.otherwise(same, each) });
    } else if (used && callName(used.call) !== name) {
      problems.push({ at, message: places.given(used, each) });
    }
    byCall.set(name, same ?? each);
    if (made !== undefined) byId.set(made, used ?? each);
  }
  return problems;
}

async function knownElsewhere(planned: readonly Planned[], deps: HeldFileDeps): Promise<ResolutionFile['problems']> {
  const known = await readKnownIds(new Set(planned.flatMap(({ made }) => made ?? [])), deps);
  return planned.flatMap(({ at, made, call }) => {
    const message = otherCallFault(made ?? '', [callName(call)], known);
    return message === undefined ? [] : [{ at, message }];
  });
}

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
  /** Only of a dry run: why another person has to approve the answer, in words. */
  approval?: string | undefined;
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
