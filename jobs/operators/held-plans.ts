import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallKind } from '../../src/call-kind.ts';
import { LimitlineError } from '../../src/errors.ts';
import type { Elsewhere } from '../../src/ledger/plans/plan.ts';
import type { Plans } from '../../src/ledger/plans/plans.ts';
import type { Stories } from '../../src/ledger/rows/story.ts';
import { type ResolutionFile, readResolutionFile } from '../../src/portfolio/results/resolution-file.ts';
import { importNames } from '../rows/import-names.ts';
import type { AskDeps } from './ask-first.ts';
import type { FreeDeps } from './free-held.ts';
import { type ElsewhereDeps, heldElsewhere } from './held-elsewhere.ts';
import { heldRowByName } from './held-row.ts';
import { type HeldFileDeps, type HeldFilePlan, planHeldFile } from './plan-held-file.ts';
import { type ResolutionSummary, type ResolvedRow, resolvedOf } from './resolution.ts';
import { heldAnew } from './resolve-calls.ts';
import { resolvePlan } from './resolve-plan.ts';

/** What a person says of held rows, by a file or of one row, and what follows from it: shown to them before they say yes to exactly this. */
export type HeldPlan = {
  id: string;
  portfolio: string;
  /** Nothing where one row was answered on a page. */
  fileName?: string | undefined;
  /** Where whoever answered one row goes on. */
  back?: string | undefined;
  /** What would be taken for true, in the file's order: with what was asked for, and when that left, in ms, where it is known. */
  of: (ResolvedRow & { kind: CallKind; sentMs: number | undefined; heldMs: number })[];
  /** Held rows of other portfolios that go with it. */
  elsewhere: Elsewhere[] | undefined;
  /** Whether nothing goes before somebody resumes the portfolio. */
  isPaused: boolean;
  /** Lines that say nothing. */
  silent: number;
  /** What is wrong, by the file's lines. Where anything is, the plan cannot be confirmed. */
  problems: ResolutionFile['problems'];
};

/** What a yes came to: done; or not, since the plan is another by now, or is not known (any more). */
export type HeldPlanConfirmed =
  | { is: 'done'; resolution: ResolutionSummary; plan: HeldPlan }
  | { is: 'changed'; plan: HeldPlan }
  | { is: 'unknown' };

type Said = Pick<HeldPlan, 'portfolio' | 'fileName' | 'back'> & { file: ResolutionFile; by: string };
type Kept = Said & { digest: string };
type Planned = { plan: HeldFilePlan; shown: HeldPlan };

/** What one row's page says of it: the id under which it was made, or nothing where it was not. */
type SaidOfRow = { row: string; made: string | undefined; heldMs: number | undefined; back: string };

type HeldPlanDeps = FreeDeps &
  AskDeps &
  HeldFileDeps &
  ElsewhereDeps & { plans: Plans; stories: Pick<Stories, 'calls'> };

/** Answers held rows in two steps: what follows is shown, and done only as it was shown. Plans can be confirmed for 15 minutes, once. */
export function makeHeldPlans(deps: HeldPlanDeps) {
  async function planOf(id: string, { portfolio, fileName, back, file }: Said): Promise<Planned> {
    const plan = await planHeldFile(portfolio, file, deps);
    const imports = await importNames(portfolio, deps);
    const known = await deps.stories.calls(plan.planned.map(({ call }) => call));
    const of = plan.planned.map(({ found, made, call: { kind } }, place) => ({
      ...resolvedOf(found, made, imports),
      kind,
      sentMs: known[place]?.lostMs,
      heldMs: found.result.updatedMs,
    }));
    const elsewhere = await heldElsewhere(portfolio, [plan.planned.map(({ found }) => found)], deps);
    const isPaused = (await deps.portfolios.read(portfolio)).paused !== undefined;
    return {
      plan,
      shown: { id, portfolio, fileName, back, of, elsewhere, isPaused, silent: file.silent, problems: plan.problems },
    };
  }

  /** Keeps a plan where nothing is wrong with it, to be confirmed as it was shown: under a name that nobody can guess, and no other had. */
  async function planAnew(said: Said): Promise<HeldPlan> {
    const id = randomBytes(12).toString('base64url');
    const planned = await planOf(id, said);
    const kept: Kept = { ...said, digest: digestOf(planned) };
    if (planned.plan.problems.length === 0) await deps.plans.keepAnswer(id, JSON.stringify(kept));
    return planned.shown;
  }

  return {
    /**
     * Reads a file and says what it would do. Nothing of the file is left on the disk.
     *
     * @param by who sent it: what it says is theirs, whoever says yes to the plan
     * @throws LimitlineError `FILE` for one that says nothing of held rows
     */
    async plan(
      portfolio: string,
      { fileName, content }: { fileName: string; content: Buffer },
      by: string,
    ): Promise<HeldPlan> {
      const file = await readUpload(content, fileName);
      return planAnew({ portfolio, fileName, file, by });
    },

    /**
     * Says what would follow from a word on one row.
     *
     * @throws LimitlineError `NOT_FOUND` where it is not held, or is held anew since somebody looked; `USAGE` for an id that cannot be meant
     */
    async planRow(portfolio: string, { row, made, heldMs, back }: SaidOfRow, by: string): Promise<HeldPlan> {
      const held = await heldRowByName(portfolio, row, deps);
      if (heldMs !== undefined && held.result.updatedMs !== heldMs) throw heldAnew();
      const file = { words: [{ at: 1, row, line: undefined, made }], silent: 0, problems: [] };
      const plan = await planAnew({ portfolio, back, file, by });
      const [problem] = plan.problems;
      if (problem) throw new LimitlineError('USAGE', problem.message);
      return plan;
    },

    /** Does what the plan says, if it still says so, once. */
    async confirm(id: string, portfolio: string, by: string): Promise<HeldPlanConfirmed> {
      const text = await deps.plans.answer(id);
      const known: Kept | undefined = text === null ? undefined : JSON.parse(text);
      if (known?.portfolio !== portfolio || !(await deps.plans.takeAnswer(id))) return { is: 'unknown' };
      const { digest: before, ...said } = known;
      const now = await planOf(id, said);
      if (digestOf(now) !== before) return { is: 'changed', plan: await planAnew(said) };
      const resolution = await resolvePlan(now.plan, deps, () => {}, { by, madeBy: said.by });
      return { is: 'done', plan: now.shown, resolution };
    },
  };
}

/** Which rows, which calls, when those were lost, and what is said of them. */
function digestOf({ plan: { planned, problems }, shown: { of } }: Planned): string {
  const said = planned.map(({ made, found: { row, result }, call }, place) => {
    return [row, result.updatedMs, call, of[place]?.sentMs, made ?? ''];
  });
  return createHash('sha256')
    .update(JSON.stringify([said, problems]))
    .digest('base64url');
}

async function readUpload(content: Buffer, fileName: string): Promise<ResolutionFile> {
  const dir = await mkdtemp(join(tmpdir(), 'limitline-held-'));
  const path = join(dir, 'held.csv');
  try {
    await writeFile(path, content, { mode: 0o600 });
    return await readResolutionFile(path);
  } catch (error) {
    if (error instanceof LimitlineError) throw new LimitlineError(error.code, error.message.replaceAll(path, fileName));
    throw error;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
