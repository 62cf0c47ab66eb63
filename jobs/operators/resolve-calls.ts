import { commandLineActor } from '../../src/actor.ts';
import { LimitlineError } from '../../src/errors.ts';
import type { Step } from '../../src/ledger/row.ts';
import { callsOf } from '../rows/calls-of.ts';
import { feed } from '../rows/feed.ts';
import { importNames } from '../rows/import-names.ts';
import { supplierJob } from '../rows/step-jobs.ts';
import { type FoundRow, foundPages } from '../rows/walk-rows.ts';
import { type AskDeps, asDecided, askFirst, justThese, RESEND, type Wished } from './ask-first.ts';
import { callInDoubt } from './call-in-doubt.ts';
import { type FreeDeps, freeHeld } from './free-held.ts';
import { heldRowAtLine, heldRowByName } from './held-row.ts';
import { callName, otherCallFault, prefixFault, readKnownIds } from './id-faults.ts';
import { type Resolution, resolvedOf } from './resolution.ts';
import { sendAgain } from './send-again.ts';

export type ResolveDeps = FreeDeps & AskDeps;

/** What a person says became of held calls. */
export type Resolving = {
  portfolio: string;
  /** One line, or one row by its key or its whole name, or else all held rows. */
  line?: number | undefined;
  row?: string | undefined;
  step?: Step | undefined;
  /** The id of what was made; without it the call may be sent again. */
  made?: string | undefined;
  /** Looks and answers which row is meant, and changes nothing. Only with a line or a row. */
  dryRun?: boolean | undefined;
  /** When the row was held that the person saw, in ms: held anew since, it is not the one that was meant. */
  heldMs?: number | undefined;
  /** Who says it: by default whoever runs the command. */
  by?: string | undefined;
};

/**
 * A person says what became of calls whose outcome is unknown. Rows of all portfolios that were held because of such a
 * call go on: past it where it made something, through it where it may be sent again.
 *
 * @throws LimitlineError `NOT_FOUND` where the row named is not held, or held anew; `USAGE` where the line's number is that of
 *   several rows, or the id cannot be what the call made
 */
export async function resolveCalls(resolving: Resolving, deps: ResolveDeps): Promise<Resolution> {
  const isOne = resolving.line !== undefined || resolving.row !== undefined;
  const resolution = isOne ? await resolveOne(resolving, deps) : await resolveAll(resolving, deps);
  if ((isOne && resolving.dryRun) || resolution.waits) return resolution;
  resolution.rows += await freeHeld(deps);
  await feed(deps);
  return resolution;
}

async function resolveAll({ portfolio, step, made, by }: Resolving, deps: ResolveDeps): Promise<Resolution> {
  if (made !== undefined) {
    throw new LimitlineError(
      'USAGE',
      `"${made}" cannot be the id of several calls. Choose a row with --line or --row.`,
    );
  }
  const meant = () => heldRows(portfolio, step, deps);
  const waits = await askFirst({ portfolio, kind: 'answer', by: by ?? commandLineActor() }, meant, deps);
  if (waits && waits.rows > 0) return { calls: 0, rows: 0, waits };
  let [calls, rows] = [0, 0];
  for await (const page of asDecided(meant(), deps)) {
    const sent = await Promise.all(
      page.map(async ({ found }) => {
        if (!(await resolveCallOf(found, { by }, deps))) return false;
        calls += 1;
        return sendAgain(found.row, 'held', deps);
      }),
    );
    rows += sent.filter(Boolean).length;
  }
  if (step === undefined || step === 'company') calls += await resendSupplier(portfolio, deps);
  return { calls, rows };
}

/** All held rows, or those of a step, each to be sent again. */
async function* heldRows(portfolio: string, step: Step | undefined, deps: FreeDeps): AsyncGenerator<readonly Wished[]> {
  for await (const page of foundPages(deps.rows, portfolio, 'held')) {
    const meant = page.filter(({ result }) => step === undefined || result.step === step);
    yield await Promise.all(meant.map(async (found) => ({ found, said: RESEND, of: await callInDoubt(found, deps) })));
  }
}

async function resolveOne(
  { portfolio, line, row: name, step, made, dryRun, heldMs, by }: Resolving,
  deps: ResolveDeps,
): Promise<Resolution> {
  const held =
    name === undefined
      ? await heldRowAtLine(portfolio, { line: line ?? 0, step }, deps)
      : await heldRowByName(portfolio, name, deps);
  if (heldMs !== undefined && held.result.updatedMs !== heldMs) throw heldAnew();
  if (made !== undefined) await checkId(made, held, deps);
  const of = [resolvedOf(held, made, await importNames(portfolio, deps))];
  const isMeant = step === undefined || held.result.step === step;
  if (dryRun || !isMeant) return { calls: 0, rows: 0, of };
  const spoken = await callInDoubt(held, deps);
  const wished = () => justThese([{ found: held, said: made ?? RESEND, of: spoken }]);
  const waits = await askFirst({ portfolio, kind: 'answer', by: by ?? commandLineActor() }, wished, deps);
  if (waits) return { calls: 0, rows: 0, of, ...(waits.rows > 0 ? { waits } : {}) };
  if (!(await resolveCallOf(held, { made, by }, deps))) return { calls: 0, rows: 0, of };
  // It goes even where a later document of it is in doubt as well: it comes to that one next.
  return { calls: 1, rows: (await sendAgain(held.row, 'held', deps)) ? 1 : 0, of };
}

/**
 * A supplier whose outcome is unknown has no row to be held; it is asked for again with all the others, unless its call was sent
 * after `asOfMs`.
 */
export async function resendSupplier(
  portfolio: string,
  { portfolios, calls, queues }: FreeDeps,
  asOfMs?: number,
): Promise<number> {
  const { supplier } = await portfolios.read(portfolio);
  if (!supplier?.key || supplier.id) return 0;
  const { key } = supplier;
  if ((await calls.resolve([{ kind: 'company', key }], key, undefined, { asOfMs })) !== 'resolved') return 0;
  await queues.forget([supplierJob(portfolio).data]);
  await portfolios.reviveSupplier(portfolio, supplier);
  return 1;
}

/**
 * Resolves the one call that a row is held at: the first of its step that is unknown, or the one named, unless it was sent again
 * after `asOfMs`. Answers whether it did.
 */
export async function resolveCallOf(
  found: FoundRow,
  {
    made,
    by = commandLineActor(),
    asOfMs,
    of,
  }: Pick<Resolving, 'made' | 'by'> & {
    asOfMs?: number | undefined;
    of?: string | undefined;
  },
  { calls }: Pick<FreeDeps, 'calls'>,
): Promise<boolean> {
  const [first, ...others] = callsOf(found).filter((call) => of === undefined || callName(call) === of);
  if (!first) return false;
  const said = { by, row: found.row, asOfMs };
  return (await calls.resolve([first, ...others], found.result.request.buyer, made, said)) === 'resolved';
}

function heldAnew(): LimitlineError {
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
