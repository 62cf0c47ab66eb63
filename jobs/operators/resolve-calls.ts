import { z } from 'zod';
import { LimitlineError } from '../../src/errors.ts';
import { rowName } from '../../src/ledger/row-id.ts';
import { STEPS, type Step } from '../../src/ledger/rows.ts';
import { callsOf } from '../rows/calls-of.ts';
import { feed } from '../rows/feed.ts';
import { supplierJob } from '../rows/step-jobs.ts';
import { type FoundRow, rowsAtLine, walkRows } from '../rows/walk-rows.ts';
import { type FreeDeps, freeHeld } from './free-held.ts';
import { callName, knownIds } from './known-ids.ts';
import { type Plan, prefixFault } from './plan-words.ts';
import { sendAgain } from './retry-rows.ts';
import { importNames, namesOf, rowAtLine, rowByName } from './row-meant.ts';
import { whyNot, whyNotRow } from './why-not.ts';

const payloadSchema = z.object({
  portfolio: z.string(),
  /** One line, or one row by its key or its whole name, or else all held rows. */
  line: z.int().optional(),
  row: z.string().optional(),
  step: z.enum(STEPS).optional(),
  /** The id of what was made; without it the call may be sent again. */
  made: z.string().optional(),
  /** Looks and answers which row is meant, and changes nothing. Only with a line or a row. */
  dryRun: z.boolean().default(false),
});

export type ResolvePayload = z.output<typeof payloadSchema>;

/** A row that a person spoke of: which it is, whose, and what is taken for true. Without `made` it is sent again. */
export type Resolved = {
  line: number;
  /** The file that the line is of, as the column `import` of the results names it. */
  import: string;
  row: string;
  step: Step;
  name: string;
  requested_limit: string;
  made?: string;
};

/**
 * What was resolved: calls, and the rows that go on because of it, in any portfolio; and, where rows were named one by
 * one, which they were.
 */
export type Resolution = { calls: number; rows: number; of?: Resolved[] };

/**
 * A person says what became of calls whose outcome is unknown. Rows of all portfolios that were held because of such a
 * call go on: past it where it made something, through it where it may be sent again.
 */
export const resolveCalls = {
  name: 'resolve-calls',
  parse: (data: unknown): ResolvePayload => payloadSchema.parse(data),

  async run({ portfolio, line, row: name, step, made, dryRun }: ResolvePayload, deps: FreeDeps): Promise<Resolution> {
    const found: Resolution = { calls: 0, rows: 0 };
    const speakOf = async (row: FoundRow): Promise<boolean> => {
      if (step !== undefined && row.result.step !== step) return false;
      if (!(await resolveFirst(row, made, deps))) return false;
      found.calls += 1;
      // It goes even where a later document of it is in doubt as well: it comes to that one next.
      return sendAgain(row.row, 'held', deps);
    };
    if (line === undefined && name === undefined) {
      if (made !== undefined) throw manyHeld(made);
      found.rows += await walkRows(deps.rows, portfolio, 'held', speakOf);
      if (step === undefined || step === 'company') found.calls += await resendSupplier(portfolio, deps);
    } else {
      const held =
        name === undefined
          ? await heldAtLine(portfolio, { line: line ?? 0, step }, deps)
          : await heldRow(portfolio, name, deps);
      if (made !== undefined) await checkId(made, held, deps);
      found.of = [spokenOf(held, made, await importNames(portfolio, deps))];
      if (dryRun) return found;
      if (await speakOf(held)) found.rows += 1;
    }
    found.rows += await freeHeld(deps);
    await feed(deps);
    return found;
  },
} as const;

/**
 * Does what was planned, word by word. A call that was answered meanwhile is left as it was answered.
 *
 * @param onWord hears of each row as it is spoken of
 */
export async function resolvePlan(
  { planned }: Plan,
  deps: FreeDeps,
  onWord: (of: Resolved) => void,
): Promise<Resolution> {
  const done = { calls: 0, rows: 0, of: [] as Resolved[] };
  const [first] = planned;
  const imports = first ? await importNames(first.found.row.portfolio, deps) : new Map<string, string>();
  for (const { word, found, call } of planned) {
    // A row whose call another one's word was about goes with the others that are freed at the end.
    if ((await deps.calls.resolve([call], found.result.request.buyer, word.made)) === 'resolved') {
      done.calls += 1;
      if (await sendAgain(found.row, 'held', deps)) done.rows += 1;
    }
    const of = spokenOf(found, word.made, imports);
    done.of.push(of);
    onWord(of);
  }
  done.rows += await freeHeld(deps);
  await feed(deps);
  return done;
}

/** How an answer names a row and what was said of it. */
export function spokenOf(
  { row, result: { line, importId, step, request } }: FoundRow,
  made: string | undefined,
  imports: ReadonlyMap<string, string>,
): Resolved {
  const { name, limit } = request;
  const where = { line, import: imports.get(importId) ?? '', row: rowName(row) };
  return { ...where, step, name, requested_limit: limit.requested_limit, ...(made === undefined ? {} : { made }) };
}

/** A supplier whose outcome is unknown has no row to be held; it is asked for again with all the others. */
async function resendSupplier(portfolio: string, { portfolios, calls, queues }: FreeDeps): Promise<number> {
  const { supplier } = await portfolios.read(portfolio);
  if (!supplier?.key || supplier.id) return 0;
  const { key } = supplier;
  if ((await calls.resolve([{ kind: 'company', key }], key, undefined)) !== 'resolved') return 0;
  await queues.forget([supplierJob(portfolio).data]);
  await portfolios.reviveSupplier(portfolio, supplier);
  return 1;
}

/** Resolves the one call that a row is held at: the first of its step that is unknown. */
async function resolveFirst(found: FoundRow, made: string | undefined, { calls }: FreeDeps): Promise<boolean> {
  const [first, ...others] = callsOf(found);
  if (!first) return false;
  return (await calls.resolve([first, ...others], found.result.request.buyer, made)) === 'resolved';
}

async function checkId(id: string, held: FoundRow, deps: FreeDeps): Promise<void> {
  const fault = prefixFault(id, held);
  if (fault !== undefined) throw new LimitlineError('USAGE', fault);
  const ours = callsOf(held).map(callName);
  const other = (await knownIds(new Set([id]), deps)).get(id)?.find(({ call }) => !ours.includes(call));
  if (!other) return;
  const whose = `line ${other.line} of portfolio "${other.portfolio}"`;
  throw new LimitlineError('USAGE', `"${id}" is known already, as what was made for ${whose}; look the id up again.`);
}

function manyHeld(id: string): LimitlineError {
  return new LimitlineError('USAGE', `"${id}" cannot be what several held rows made; name one by --line or --row.`);
}

async function heldAtLine(
  portfolio: string,
  { line, step }: { line: number; step: Step | undefined },
  deps: FreeDeps,
): Promise<FoundRow> {
  const found = await rowAtLine(portfolio, { state: 'held', line }, deps);
  if (typeof found === 'string') throw new LimitlineError('USAGE', `${found} Name one by --row.`);
  if (found && (step === undefined || found.result.step === step)) return found;
  throw await notHeld(portfolio, line, deps);
}

async function heldRow(portfolio: string, name: string, deps: FreeDeps): Promise<FoundRow> {
  const found = await rowByName(portfolio, name, deps);
  if (typeof found !== 'string' && found.result.state === 'held') return found;
  const why = typeof found === 'string' ? found : await whyNotRow(found, deps);
  throw new LimitlineError('NOT_FOUND', why);
}

/** Lines named where another was asked for: enough to find one's own. */
const NAMED = 10;

async function notHeld(portfolio: string, line: number, deps: FreeDeps): Promise<LimitlineError> {
  const why = await whyNot(portfolio, line, deps);
  const same = await rowsAtLine(deps.rows, portfolio, 'held', line);
  if (same.length > 0) {
    // Held as another file's line of that number: it has to be named by what no other file has.
    const named = await namesOf(portfolio, same, deps);
    return new LimitlineError('NOT_FOUND', `${why} Held is ${named.join('; ')}: name it by --row.`);
  }
  const { states } = await deps.portfolios.read(portfolio);
  const first = await deps.rows.behind(portfolio, 'held', { line: 0, count: NAMED });
  const lines = first.map((found) => found.line).join(', ');
  const which = `${states.held === 1 ? 'is line' : 'are lines'} ${lines}${states.held > NAMED ? ' …' : ''}`;
  const held = states.held === 0 ? 'No line of it is held.' : `Held ${which}.`;
  return new LimitlineError('NOT_FOUND', `${why} ${held}`);
}
