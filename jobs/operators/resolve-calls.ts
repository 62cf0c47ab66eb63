import { commandLineActor } from '../../src/actor.ts';
import { LimitlineError } from '../../src/errors.ts';
import type { Plans } from '../../src/ledger/plans/plans.ts';
import type { Step } from '../../src/ledger/schema/row.ts';
import { callsOf } from '../rows/calls-of.ts';
import { feed } from '../rows/feed.ts';
import { importNames } from '../rows/import-names.ts';
import type { FoundRow } from '../rows/walk-rows.ts';
import { type AskDeps, askFirst, justThese, RESEND } from './ask-first.ts';
import { callInDoubt } from './call-in-doubt.ts';
import { type FreeDeps, freeHeld } from './free-held.ts';
import { countElsewhere, type ElsewhereDeps, heldElsewhere } from './held-elsewhere.ts';
import { heldRowAtLine, heldRowByName } from './held-row.ts';
import { callName, otherCallFault, prefixFault, readKnownIds } from './id-faults.ts';
import { type ResolutionSummary, resolvedOf } from './resolution.ts';
import { resolveCallOf } from './resolve-call.ts';
import { sendAgain } from './send-again.ts';

export type ResolveDeps = FreeDeps & AskDeps & ElsewhereDeps & { plans: Pick<Plans, 'now'> };

/** What a person says became of a held call. */
export type Resolving = {
  portfolio: string;
  /** The row of a line, or one row by its key or its whole name. */
  line?: number | undefined;
  row?: string | undefined;
  step?: Step | undefined;
  /** The id of what was made; without it the call may be sent again. */
  made?: string | undefined;
  /** Looks and answers which row is meant, and changes nothing. */
  dryRun?: boolean | undefined;
  /** When the row was held that the person saw, in ms: held anew since, it is not the one that was meant. */
  heldMs?: number | undefined;
  /** When the person looked, in ms of the server's clock; by default now. What was lost since is not spoken of. */
  lookedMs?: number | undefined;
  /** Who says it: by default whoever runs the command. */
  by?: string | undefined;
};

/**
 * A person says what became of a call whose outcome is unknown. Rows of all portfolios that were held because of such a
 * call go on: past it where it made something, through it where it may be sent again. Many rows at a time are a plan (jobs/plans).
 *
 * @throws LimitlineError `NOT_FOUND` where the row named is not held, or held anew; `USAGE` where the line's number is that of
 *   several rows, or the id cannot be what the call made
 */
export async function resolveCalls(resolving: Resolving, deps: ResolveDeps): Promise<ResolutionSummary> {
  const { portfolio, line, row: name, step, made, dryRun, heldMs, by = commandLineActor() } = resolving;
  const lookedMs = resolving.lookedMs ?? (await deps.plans.now());
  const held =
    name === undefined
      ? await heldRowAtLine(portfolio, { line: line ?? 0, step }, deps)
      : await heldRowByName(portfolio, name, deps);
  if (heldMs !== undefined && held.result.updatedMs !== heldMs) throw heldAnew();
  if (made !== undefined) await checkId(made, held, deps);
  const of = [resolvedOf(held, made, await importNames(portfolio, deps))];
  const elsewhere = await heldElsewhere(portfolio, [[held]], deps);
  const nothing = { calls: 0, rows: 0, elsewhere, of, looked: { lookedMs, heldMs: held.result.updatedMs } };
  const isMeant = step === undefined || held.result.step === step;
  if (dryRun || !isMeant) return nothing;
  const spoken = await callInDoubt(held, deps);
  const requested = () => justThese([{ found: held, said: made ?? RESEND, of: spoken }]);
  const waits = await askFirst({ portfolio, kind: 'answer', by, asOfMs: lookedMs }, requested, deps);
  if (waits && waits.rows > 0) return { ...nothing, waits };
  const resolution = { ...nothing };
  const answer = waits ? 'not unknown' : await resolveCallOf(held, { made, by, asOfMs: lookedMs }, deps);
  // Somebody said no meanwhile, in another portfolio: another person is asked after all.
  if (answer === 'declined') return await resolveCalls({ ...resolving, lookedMs }, deps);
  if (answer === 'resolved') {
    resolution.calls = 1;
    // It goes even where a later document of it is in doubt as well: it comes to that one next.
    if (await sendAgain(held.row, 'held', deps)) resolution.rows = 1;
  }
  const freed = await freeHeld(deps);
  resolution.rows += freed.length;
  resolution.elsewhere = await countElsewhere(portfolio, freed, deps);
  await feed(deps);
  return resolution;
}

/** What somebody speaks of is not what is held by now. */
export function heldAnew(): LimitlineError {
  return new LimitlineError(
    'NOT_FOUND',
    'Since you looked, this row was sent again, and is held anew: look at it again before you say what became of it. Nothing was done.',
  );
}

async function checkId(made: string, held: FoundRow, deps: FreeDeps): Promise<void> {
  const wrongKind = prefixFault(made, held);
  if (wrongKind !== undefined) throw new LimitlineError('USAGE', wrongKind);
  const known = await readKnownIds(new Set([made]), deps);
  const fault = otherCallFault(made, callsOf(held).map(callName), known);
  if (fault !== undefined) throw new LimitlineError('USAGE', fault);
}
