import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LimitlineError } from '../../src/errors.ts';
import type { Elsewhere, Plans } from '../../src/ledger/plans/plan.ts';
import type { HeldRow, Stories } from '../../src/ledger/rows/story.ts';
import { rowIdOf, rowName } from '../../src/ledger/schema/schema.ts';
import type { HeldPlan, HeldPlanConfirmed } from '../../src/ledger/story/held-plan.ts';
import type { Resolution, ResolutionFile } from '../../src/portfolio/results/resolution-file.ts';
import { readResolutionFile } from '../../src/portfolio/results/resolution-file.ts';
import { importName, makeImportLook } from '../rows/import-names.ts';
import { whyAnswersWait } from './answers-approval.ts';
import type { AskDeps } from './ask-first.ts';
import type { FreeDeps } from './free-held.ts';
import { knownIds, strangeId } from './id-faults.ts';
import type { AnswerPlaces, ElsewhereDeps, HeldFileDeps, HeldFilePlan } from './plan-held-file.ts';
import { heldElsewhere, planHeldFile, resolvedOf, resolvePlan } from './plan-held-file.ts';

/** An answer from a page about a row as it was held then: the id that was made, or no id if nothing was made. */
type HeldAnswer = HeldRow & { made: string | undefined };

/**
 * The answers that a plan is made from. `heldMs`: if they come from a page, since when the row of each answer was held, by the answer's
 * place.
 */
type Said = Pick<HeldPlan, 'portfolio' | 'fileName' | 'sha256' | 'back'> & {
  file: ResolutionFile;
  heldMs?: number[];
  by: string;
};
type Kept = Said & { digest: string };
type Planned = { plan: HeldFilePlan; shown: HeldPlan };

type HeldPlanDeps = FreeDeps &
  AskDeps &
  HeldFileDeps &
  ElsewhereDeps & { account: string; plans: Plans; stories: Pick<Stories, 'calls'> };

const ON_PAGE: AnswerPlaces = {
  otherwise: (other, answer) =>
    rowName(other.found.row) === rowName(answer.found.row)
      ? 'This row has two answers: that nothing was made, and an id. Give one of them.'
      : `${whoseIs(other)} waits for the same ${answer.call.kind}, but has a different answer.`,
  given: (other, { made }) => `"${made}" is already given for ${whoseIs(other)}.`,
};

/** Answers held rows in two steps: a plan is shown, then executed only as shown. It can be confirmed once, for 15 minutes. */
export function makeHeldPlans(deps: HeldPlanDeps) {
  async function planOf(id: string, { portfolio, fileName, sha256, back, file, heldMs }: Said): Promise<Planned> {
    const words = heldMs ? await stillHeld(file.words, heldMs, deps) : file.words;
    const plan = await planHeldFile(portfolio, { ...file, words }, deps, heldMs && ON_PAGE);
    const calls = await deps.stories.calls(plan.planned.map(({ call }) => call));
    const importOf = makeImportLook(deps);
    const names = [...new Set(plan.planned.map(({ found }) => found.row.portfolio))];
    const known = new Map(await Promise.all(names.map(async (name) => [name, await knownIds(name, deps)] as const)));
    const of = plan.planned.map(async ({ found, made, call: { kind } }, place) => {
      const from = await importOf(found.row, found.result.importId);
      return {
        ...resolvedOf(found, made, new Map(from && [[found.result.importId, importName(from)]])),
        kind,
        sentMs: calls[place]?.lostMs,
        heldMs: found.result.updatedMs,
        currency: from?.found?.currency,
        strange: made && strangeId(made, found, known.get(found.row.portfolio)?.[kind] ?? []),
      };
    });
    const shown: HeldPlan = {
      ...{ id, portfolio, fileName, sha256, back, of: await Promise.all(of) },
      ...{ silent: file.silent, problems: plan.problems },
      elsewhere: await elsewhereOf(plan, names, deps),
      paused: (await Promise.all(names.map(deps.portfolios.read))).flatMap((one) => (one.paused ? one.name : [])),
      approvals: await approvalsOf(plan, names, deps),
      late: file.words.length - words.length,
    };
    return { plan, shown };
  }

  /** Makes a plan and keeps it, if it has no problems, under an unguessable id that is used once. */
  async function planAnew(said: Said): Promise<HeldPlan> {
    const id = randomBytes(12).toString('base64url');
    const planned = await planOf(id, said);
    const kept: Kept = { ...said, digest: digestOf(planned) };
    if (planned.plan.problems.length === 0) await deps.plans.keepAnswer(id, JSON.stringify(kept));
    return planned.shown;
  }

  /** The kept plan; undefined if it is gone. The same store keeps uploads of decisions (upload-decisions.ts), which do not count here. */
  async function keptOf(id: string): Promise<Kept | undefined> {
    const known = JSON.parse((await deps.plans.answer(id)) ?? '{}') as Partial<Kept>;
    return known.digest === undefined ? undefined : (known as Kept);
  }

  return {
    /**
     * Reads a file and plans its answers. Nothing of the file stays on the disk.
     *
     * @param by who sent the file: its answers are theirs, whoever confirms the plan
     * @throws LimitlineError `FILE` for a file without answers about held rows
     */
    async plan(
      portfolio: string,
      { fileName, content }: { fileName: string; content: Buffer },
      by: string,
    ): Promise<HeldPlan> {
      const file = await readUploaded(content, fileName, (path) => readResolutionFile(path, deps.account));
      const sha256 = createHash('sha256').update(content).digest('hex');
      return planAnew({ portfolio, fileName, sha256, file, by });
    },

    /** Plans answers from a page. Rows that are no longer held as they were, and those of other accounts, are left out as `late`. */
    planAnswers(answers: readonly HeldAnswer[], { back, by }: { back: string; by: string }): Promise<HeldPlan> {
      const words = answers.map(({ row, made }, at) => ({ at, row: rowName(row), line: undefined, made }));
      const heldMs = answers.map(({ atMs }) => atMs);
      return planAnew({ portfolio: undefined, back, by, heldMs, file: { words, silent: 0, problems: [] } });
    },

    /** The portfolios that the answers of a kept plan are about; none for a plan that is gone. */
    async portfoliosOf(id: string): Promise<string[]> {
      const known = await keptOf(id);
      if (known?.portfolio !== undefined) return [known.portfolio];
      return [...new Set(known?.file.words.flatMap(({ row }) => rowIdOf(row)?.portfolio ?? []))];
    },

    /** Executes a plan once, unless a new plan for the same answers would differ from it. */
    async confirm(id: string, portfolio: string | undefined, by: string): Promise<HeldPlanConfirmed> {
      const known = await keptOf(id);
      if (known?.portfolio !== portfolio || !known || !(await deps.plans.takeAnswer(id))) return { is: 'unknown' };
      const { digest: before, ...said } = known;
      const now = await planOf(id, said);
      if (digestOf(now) !== before) return { is: 'changed', plan: await planAnew(said) };
      const resolution: Extract<HeldPlanConfirmed, { is: 'done' }>['resolution'] = { calls: 0, rows: 0, waits: [] };
      // An approval belongs to one portfolio, so the answers are carried out portfolio by portfolio.
      for (const planned of Map.groupBy(now.plan.planned, ({ found }) => found.row.portfolio).values()) {
        const { calls, rows, waits } = await resolvePlan({ ...now.plan, planned }, deps, () => {}, {
          by,
          madeBy: said.by,
        });
        resolution.calls += calls;
        resolution.rows += rows;
        if (waits) resolution.waits.push(waits);
      }
      return { is: 'done', plan: now.shown, resolution };
    },
  };
}

/** The answers whose rows have been held ever since the person looked. */
async function stillHeld(words: Resolution[], heldMs: readonly number[], { rows }: Pick<HeldPlanDeps, 'rows'>) {
  const ids = words.map(({ row }) => rowIdOf(row) ?? { portfolio: '', key: '' });
  const results = await rows.read(ids);
  return words.filter(({ at }, place) => {
    const result = results[place];
    return result?.state === 'held' && result.updatedMs === heldMs[at];
  });
}

/** Counts, by portfolio, the held rows of portfolios that the plan does not name, but whose calls its answers are about. */
async function elsewhereOf(
  { planned }: HeldFilePlan,
  names: readonly string[],
  deps: HeldPlanDeps,
): Promise<Elsewhere[]> {
  const all = names.map((name) => {
    const meant = planned.flatMap(({ found }) => (found.row.portfolio === name ? [found] : []));
    return heldElsewhere(name, [meant], deps);
  });
  const others = (await Promise.all(all)).flatMap((one) => one ?? []);
  return [...Map.groupBy(others, ({ portfolio }) => portfolio).values()].flatMap(([first, ...more]) => {
    if (!first || names.includes(first.portfolio)) return [];
    return [{ ...first, rows: more.reduce((sum, { rows }) => sum + rows, first.rows) }];
  });
}

/** Computes {@link HeldPlan.approvals}. Each portfolio is judged separately, as it is when the plan is confirmed. */
async function approvalsOf({ planned }: HeldFilePlan, names: readonly string[], deps: HeldPlanDeps) {
  const all = names.map(async (portfolio) => {
    const held = planned.flatMap(({ found }) => (found.row.portfolio === portfolio ? [found] : []));
    const why = await whyAnswersWait(portfolio, held, deps);
    return why === undefined ? [] : [{ portfolio, why }];
  });
  return (await Promise.all(all)).flat();
}

function whoseIs({ found: { row, result } }: HeldFilePlan['planned'][number]): string {
  return `${result.request.name}, line ${result.line} of ${row.portfolio}`;
}

/** A digest of what a plan shows: the rows, their calls, when those were lost, the answers, problems, and what waits for approval. */
function digestOf({ plan: { planned, problems }, shown: { of, approvals } }: Planned): string {
  const said = planned.map(({ made, found: { row, result }, call }, place) => {
    return [row, result.updatedMs, call, of[place]?.sentMs, made ?? ''];
  });
  return createHash('sha256')
    .update(JSON.stringify([said, problems, approvals.map(({ portfolio }) => portfolio)]))
    .digest('base64url');
}

/** Writes an upload to a temporary file for `read`, and removes that file afterwards. In errors, the upload's name replaces the file's path. */
export async function readUploaded<T>(
  content: Buffer,
  fileName: string,
  read: (path: string) => Promise<T>,
): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'limitline-upload-'));
  const path = join(dir, 'upload.csv');
  try {
    await writeFile(path, content, { mode: 0o600 });
    return await read(path);
  } catch (error) {
    if (error instanceof LimitlineError) error.message = error.message.replaceAll(path, () => fileName);
    throw error;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
