import { commandLineActor } from '../../src/actor.ts';
import { LimitlineError } from '../../src/errors.ts';
import type { ResolveAnswer } from '../../src/ledger/calls/calls.ts';
import type { Plans } from '../../src/ledger/plans/plan.ts';
import { KIND_OF, type Step } from '../../src/ledger/schema/row.ts';
import { feed } from '../rows/feed.ts';
import { importNames } from '../rows/import-names.ts';
import { type CallInDoubt, callInDoubt, callsOf, type FoundRow, rowsAtLine } from '../rows/walk-rows.ts';
import { whyAnswersWait } from './answers-approval.ts';
import { type AskDeps, askFirst, justThese, RESEND } from './ask-first.ts';
import { describeRows, explainLine, explainRow, rowAtLine, rowByName } from './explain-rows.ts';
import { type FreeDeps, freeHeld, sendAgain } from './free-held.ts';
import { callName, knownIds, otherCallFault, prefixFault, readKnownIds, strangeId } from './id-faults.ts';
import type { ElsewhereDeps, ResolutionSummary } from './plan-held-file.ts';
import { countElsewhere, heldElsewhere, resolvedOf } from './plan-held-file.ts';

type ResolveDeps = FreeDeps & AskDeps & ElsewhereDeps & { plans: Pick<Plans, 'now'> };

/** A person's answer about a held call. */
export type Resolving = {
  portfolio: string;
  line?: number | undefined;
  row?: string | undefined;
  step?: Step | undefined;
  /** The id that was made. Without it, the call may be sent again. */
  made?: string | undefined;
  /** Whether only to find the row that is meant, without recording the answer. */
  dryRun?: boolean | undefined;
  /** Since when the row was held that the person saw, in ms. A row held again later is another case. */
  heldMs?: number | undefined;
  /** When the person looked, in ms by Redis' clock; by default now. Calls lost later are left alone. */
  lookedMs?: number | undefined;
  /** Who answers: by default whoever runs the command. */
  by?: string | undefined;
};

/**
 * Records a person's answer about a call in doubt, and sends on the rows of all portfolios that it held. They skip the call if
 * it made something; otherwise they may send it again. Answers for many rows are plans (jobs/plans).
 *
 * @throws LimitlineError `NOT_FOUND` where the row is not held or was held again; `USAGE` where several rows have the line
 *   number, or the call cannot have made the id
 */
export async function resolveCalls(resolving: Resolving, deps: ResolveDeps): Promise<ResolutionSummary> {
  const { portfolio, line, row: name, step, made, dryRun, heldMs, by = commandLineActor() } = resolving;
  const lookedMs = resolving.lookedMs ?? (await deps.plans.now());
  const held =
    name === undefined
      ? await heldRowAtLine(portfolio, { line: line ?? 0, step }, deps)
      : await heldRowByName(portfolio, name, deps);
  if (heldMs !== undefined && held.result.updatedMs !== heldMs)
    throw new LimitlineError(
      'NOT_FOUND',
      'Since you looked, this row was sent again, and is held anew: look at it again before you say what became of it. Nothing was done.',
    );
  const spoken = await callInDoubt(held, deps);
  const strange = made === undefined ? undefined : await checkId(made, { held, spoken }, deps);
  const of = [resolvedOf(held, made, await importNames(portfolio, deps))];
  const elsewhere = await heldElsewhere(portfolio, [[held]], deps);
  const nothing = { calls: 0, rows: 0, elsewhere, of, strange, looked: { lookedMs, heldMs: held.result.updatedMs } };
  const isMeant = step === undefined || held.result.step === step;
  if (dryRun) return { ...nothing, approval: await whyAnswersWait(portfolio, [held], deps) };
  if (!isMeant) return nothing;
  const requested = () => justThese([{ found: held, said: made ?? RESEND, of: spoken }]);
  const waits = await askFirst({ portfolio, kind: 'answer', by, asOfMs: lookedMs }, requested, deps);
  if (waits && waits.rows > 0) return { ...nothing, waits };
  const resolution = { ...nothing };
  const answer = waits ? 'not unknown' : await resolveCallOf(held, { made, by, asOfMs: lookedMs }, deps);
  // Somebody declined an answer about this call meanwhile, in another portfolio. So another person has to approve this answer.
  if (answer === 'declined') return await resolveCalls({ ...resolving, lookedMs }, deps);
  if (answer === 'resolved') {
    resolution.calls = 1;
    // The row is sent again even if a later document of it is in doubt: the row comes to that document next.
    if (await sendAgain(held.row, 'held', deps)) resolution.rows = 1;
  }
  const freed = await freeHeld(deps);
  resolution.rows += freed.length;
  resolution.elsewhere = await countElsewhere(portfolio, freed, deps);
  await feed(deps);
  return resolution;
}

/**
 * Resolves one call of a held row: the call named, or the first in doubt of its step. Does nothing to a call that was sent
 * again and lost after `asOfMs`, when the person looked.
 */
export async function resolveCallOf(
  found: FoundRow,
  given: {
    made?: string | undefined;
    by?: string | undefined;
    asOfMs?: number | undefined;
    of?: string | undefined;
    approval?: string;
  },
  { calls }: Pick<FreeDeps, 'calls'>,
): Promise<ResolveAnswer> {
  const { made, by = commandLineActor(), asOfMs, of, approval } = given;
  const [first, ...others] = callsOf(found).filter((call) => of === undefined || callName(call) === of);
  if (!first) return 'not unknown';
  const said = { by, row: found.row, asOfMs, approval };
  return await calls.resolve([first, ...others], found.result.request.buyer, made, said);
}

/** @throws LimitlineError `NOT_FOUND` where there is no such row or it is not held */
async function heldRowByName(portfolio: string, name: string, deps: FreeDeps): Promise<FoundRow> {
  const found = await rowByName(portfolio, name, deps);
  if (typeof found !== 'string' && found.result.state === 'held') return found;
  throw new LimitlineError('NOT_FOUND', typeof found === 'string' ? found : await explainRow(found, deps));
}

/**
 * Finds the held row of this line, at this step if one is given.
 *
 * @throws LimitlineError `NOT_FOUND` where it is not held, naming lines that are; `USAGE` where several rows have the number
 */
async function heldRowAtLine(
  portfolio: string,
  { line, step }: { line: number; step: Step | undefined },
  deps: FreeDeps,
): Promise<FoundRow> {
  const found = await rowAtLine(portfolio, { state: 'held', line }, deps);
  if (typeof found === 'string') throw new LimitlineError('USAGE', `${found} Name one of these rows with --row ID.`);
  if (found && (step === undefined || found.result.step === step)) return found;
  throw await notHeld(portfolio, line, deps);
}

/**
 * Answers why a person should look at the id again, if they should.
 *
 * @throws LimitlineError `USAGE` where the call cannot have made it
 */
async function checkId(
  made: string,
  { held, spoken }: { held: FoundRow; spoken: CallInDoubt | undefined },
  deps: FreeDeps,
): Promise<string | undefined> {
  const wrongKind = prefixFault(made, held);
  if (wrongKind !== undefined) throw new LimitlineError('USAGE', wrongKind);
  const known = await readKnownIds(new Set([made]), deps);
  // Another document of the same row may have been made under this id, and not the one in doubt.
  const fault = otherCallFault(made, spoken ? [callName(spoken)] : [], known);
  if (fault !== undefined) throw new LimitlineError('USAGE', fault);
  return strangeId(made, held, (await knownIds(held.row.portfolio, deps))[KIND_OF[held.result.step]]);
}

/** The most held lines that an error names. */
const MOST_NAMED = 10;

async function notHeld(portfolio: string, line: number, deps: FreeDeps): Promise<LimitlineError> {
  const why = await explainLine(portfolio, line, deps);
  const same = await rowsAtLine(deps.rows, portfolio, 'held', line);
  if (same.length > 0) {
    // Only the option --row can choose one of several held rows with this line number, which are of different files.
    const described = await describeRows(portfolio, same, deps);
    const message = `${why} Held rows with this line number: ${described.join('; ')}. Choose one with --row ID.`;
    return new LimitlineError('NOT_FOUND', message);
  }
  return new LimitlineError('NOT_FOUND', `${why} ${await whatIsHeld(portfolio, deps)}`);
}

async function whatIsHeld(portfolio: string, deps: FreeDeps): Promise<string> {
  const { states } = await deps.portfolios.read(portfolio);
  if (states.held === 0) return 'No row of the portfolio is held.';
  const first = await deps.rows.behind(portfolio, 'held', { line: 0, count: MOST_NAMED });
  const lines = first.map(({ line }) => line).join(', ');
  if (states.held === 1) return `The only held row is on line ${lines}.`;
  return `Held rows are on lines ${lines}${states.held > MOST_NAMED ? ' …' : ''}.`;
}
