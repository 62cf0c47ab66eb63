import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LimitlineError } from '../../src/errors.ts';
import { type ResolutionFile, readResolutionFile } from '../../src/portfolio/results/resolution-file.ts';
import { importNames } from '../rows/import-names.ts';
import type { AskDeps } from './ask-first.ts';
import type { FreeDeps } from './free-held.ts';
import { type Plan, type PlanDeps, planHeldFile } from './plan-held-file.ts';
import { type Resolution, type Resolved, resolvedOf } from './resolution.ts';
import { resolvePlan } from './resolve-plan.ts';

/** What a file would do: shown to a person, who says yes to exactly this. */
export type HeldFilePlan = {
  id: string;
  portfolio: string;
  fileName: string;
  /** What would be taken for true, in the file's order. */
  of: Resolved[];
  /** Lines that say nothing. */
  silent: number;
  /** What is wrong, by the file's lines. Where anything is, the plan cannot be confirmed. */
  problems: ResolutionFile['problems'];
};

/** What a yes came to: done; or not, since the plan is another by now, or is not known (any more). */
export type Confirmed =
  | { is: 'done'; resolution: Resolution }
  | { is: 'changed'; plan: HeldFilePlan }
  | { is: 'unknown' };

/** A plan is looked at for minutes, by a few people at a time. */
const KEPT_MS = 15 * 60_000;
const MOST_KEPT = 20;

type Kept = { portfolio: string; fileName: string; file: ResolutionFile; by: string; digest: string; madeMs: number };

export type HeldFilePlans = ReturnType<typeof makeHeldFilePlans>;

/**
 * Answers held rows by a file in two steps: the plan is shown, and done only as it was shown. Plans are in this process'
 * memory: after a restart the file is sent again.
 */
export function makeHeldFilePlans(deps: FreeDeps & AskDeps & PlanDeps) {
  const kept = new Map<string, Kept>();

  async function planOf(
    id: string,
    { portfolio, fileName, file, by }: Pick<Kept, 'portfolio' | 'fileName' | 'file' | 'by'>,
  ) {
    const plan = await planHeldFile(portfolio, file, deps);
    const imports = await importNames(portfolio, deps);
    const of = plan.planned.map(({ found, made }) => resolvedOf(found, made, imports));
    const shown: HeldFilePlan = { id, portfolio, fileName, of, silent: file.silent, problems: plan.problems };
    keep(id, { portfolio, fileName, file, by, digest: digestOf(plan), madeMs: Date.now() });
    return { plan, shown };
  }

  function keep(id: string, one: Kept): void {
    kept.set(id, one);
    for (const [other, { madeMs }] of kept) {
      if (kept.size > MOST_KEPT || Date.now() - madeMs > KEPT_MS) kept.delete(other);
      else break;
    }
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
    ): Promise<HeldFilePlan> {
      const file = await readUpload(content, fileName);
      const { shown } = await planOf(randomBytes(9).toString('base64url'), { portfolio, fileName, file, by });
      return shown;
    },

    /** Does what the plan says, if it still says so, once. */
    async confirm(id: string, portfolio: string, by: string): Promise<Confirmed> {
      const known = kept.get(id);
      if (known?.portfolio !== portfolio || Date.now() - known.madeMs > KEPT_MS) return { is: 'unknown' };
      kept.delete(id);
      const { plan, shown } = await planOf(id, known);
      if (plan.problems.length > 0 || digestOf(plan) !== known.digest) return { is: 'changed', plan: shown };
      kept.delete(id);
      return { is: 'done', resolution: await resolvePlan(plan, deps, () => {}, { by, madeBy: known.by }) };
    },
  };
}

/** Which rows, which calls, and what is said of them. */
function digestOf({ planned, problems }: Plan): string {
  const said = planned.map(({ made, found, call }) => [found.row, found.result.updatedMs, call, made ?? '']);
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
