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
import { type HeldFileDeps, type HeldFilePlan, planHeldFile, resolvePlan } from './plan-held-file.ts';
import {
  type ElsewhereDeps,
  heldElsewhere,
  type ResolutionSummary,
  type ResolvedRow,
  resolvedOf,
} from './resolution.ts';
import { heldAnew, heldRowByName } from './resolve-calls.ts';

/** Answers about held rows, from a file or for one row, and their effects. People see the plan before they confirm it. */
type HeldPlan = {
  id: string;
  portfolio: string;
  /** Left out for one row that was answered on a page. */
  fileName?: string | undefined;
  /** The page to return to after answering one row. */
  back?: string | undefined;
  /** The answers in the file's order, with the kind of call and when it was sent, in ms, if known. */
  of: (ResolvedRow & { kind: CallKind; sentMs: number | undefined; heldMs: number })[];
  /** Held rows of other portfolios that the answers release. */
  elsewhere: Elsewhere[] | undefined;
  /** Whether the portfolio is paused, so that nothing is sent until somebody resumes it. */
  isPaused: boolean;
  /** The number of lines without an answer. */
  silent: number;
  /** Problems by line of the file. A plan with problems cannot be confirmed. */
  problems: ResolutionFile['problems'];
};

/** The result of a confirmation. `changed`: nothing was done, the plan differs by now. `unknown`: there is no such plan. */
type HeldPlanConfirmed =
  | { is: 'done'; resolution: ResolutionSummary; plan: HeldPlan }
  | { is: 'changed'; plan: HeldPlan }
  | { is: 'unknown' };

type Said = Pick<HeldPlan, 'portfolio' | 'fileName' | 'back'> & { file: ResolutionFile; by: string };
type Kept = Said & { digest: string };
type Planned = { plan: HeldFilePlan; shown: HeldPlan };

/** An answer for one row: the id that was made, or no id if nothing was made. */
type SaidOfRow = { row: string; made: string | undefined; heldMs: number | undefined; back: string };

type HeldPlanDeps = FreeDeps &
  AskDeps &
  HeldFileDeps &
  ElsewhereDeps & { plans: Plans; stories: Pick<Stories, 'calls'> };

/** Answers held rows in two steps: a plan is shown, then executed only as shown. It can be confirmed once, for 15 minutes. */
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

  /** Makes a plan and keeps it, if it has no problems, under an unguessable id that is used once. */
  async function planAnew(said: Said): Promise<HeldPlan> {
    const id = randomBytes(12).toString('base64url');
    const planned = await planOf(id, said);
    const kept: Kept = { ...said, digest: digestOf(planned) };
    if (planned.plan.problems.length === 0) await deps.plans.keepAnswer(id, JSON.stringify(kept));
    return planned.shown;
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
      const file = await readUploaded(content, fileName, readResolutionFile);
      return planAnew({ portfolio, fileName, file, by });
    },

    /**
     * Plans an answer about one row.
     *
     * @throws LimitlineError `NOT_FOUND` where the row is not held, or was held again meanwhile; `USAGE` for an impossible id
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

    /** Executes a plan once, if it would still be the same. */
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

/** A digest of what a plan shows: the rows, their calls, when those were lost, the answers, and problems. */
function digestOf({ plan: { planned, problems }, shown: { of } }: Planned): string {
  const said = planned.map(({ made, found: { row, result }, call }, place) => {
    return [row, result.updatedMs, call, of[place]?.sentMs, made ?? ''];
  });
  return createHash('sha256')
    .update(JSON.stringify([said, problems]))
    .digest('base64url');
}

/** Reads an upload from a file, which is gone afterwards. Faults name the upload and not that file. */
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
    if (error instanceof LimitlineError)
      throw new LimitlineError(
        error.code,
        error.message.replaceAll(path, () => fileName),
      );
    throw error;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
