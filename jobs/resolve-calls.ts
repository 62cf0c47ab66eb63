import { z } from 'zod';
import { LimitlineError } from '../src/errors.ts';
import { STEPS, type Step } from '../src/ledger/rows.ts';
import { callsOf } from './calls-of.ts';
import { feed } from './feed.ts';
import { type FreeDeps, freeHeld } from './free-held.ts';
import { sendAgain } from './retry-rows.ts';
import { supplierJob } from './step.ts';
import { type FoundRow, rowsOfLine, walkRows } from './walk-rows.ts';

const payloadSchema = z.object({
  portfolio: z.string(),
  /** One line, or all held rows. */
  line: z.int().optional(),
  step: z.enum(STEPS).optional(),
  /** The id of what was made; without it the call may be sent again. */
  made: z.string().optional(),
});

export type ResolvePayload = z.output<typeof payloadSchema>;

/**
 * What was resolved: calls, and the rows that go on because of it, in any portfolio; and, where a line was named, whose
 * request that was.
 */
export type Resolution = { calls: number; rows: number; of?: { name: string; requested_limit: string }[] };

/** The ids of the service have these prefixes, where any is shown (service-api: "Resources and their fields"). */
const PREFIXES: Partial<Record<Step, string>> = { company: 'company_', limit: 'bl_' };

/**
 * A person says what became of calls whose outcome is unknown. Rows of all portfolios that were held because of such a
 * call go on: past it where it made something, through it where it may be sent again.
 */
export const resolveCalls = {
  name: 'resolve-calls',
  parse: (data: unknown): ResolvePayload => payloadSchema.parse(data),

  async run({ portfolio, line, step, made }: ResolvePayload, deps: FreeDeps): Promise<Resolution> {
    const found: Resolution = { calls: 0, rows: 0 };
    const speakOf = async (row: FoundRow): Promise<boolean> => {
      if (step !== undefined && row.result.step !== step) return false;
      if (!(await resolveFirst(row, made, deps))) return false;
      found.calls += 1;
      // It goes even where a later document of it is in doubt as well: it comes to that one next.
      return sendAgain(row.row, 'held', deps);
    };
    if (line === undefined) {
      if (made !== undefined) throw manyHeld(made);
      found.rows += await walkRows(deps.rows, portfolio, 'held', speakOf);
      if (step === undefined || step === 'company') found.calls += await resendSupplier(portfolio, deps);
    } else {
      const held = (await rowsOfLine(deps, portfolio, 'held', line)).filter(
        ({ result }) => step === undefined || result.step === step,
      );
      if (held.length === 0) throw await notHeld(portfolio, line, deps);
      if (made !== undefined) checkId(made, held);
      for (const row of held) if (await speakOf(row)) found.rows += 1;
      found.of = held.map(({ result: { request } }) => ({
        name: request.name,
        requested_limit: request.limit.requested_limit,
      }));
    }
    found.rows += await freeHeld(deps);
    await feed(deps);
    return found;
  },
} as const;

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

function checkId(id: string, held: FoundRow[]): void {
  if (held.length > 1) throw manyHeld(id);
  for (const { result } of held) {
    const prefix = PREFIXES[result.step];
    if (prefix === undefined || (id.startsWith(prefix) && id.length > prefix.length)) continue;
    throw new LimitlineError(
      'USAGE',
      `"${id}" is no id of what line ${result.line} is held at: its step is ${result.step}, whose ids begin with ${prefix}.`,
    );
  }
}

function manyHeld(id: string): LimitlineError {
  return new LimitlineError(
    'USAGE',
    `"${id}" cannot be what several held rows made; name one by --line (import their file again where a line names two).`,
  );
}

/** Lines named where another was asked for: enough to find one's own. */
const NAMED = 10;

async function notHeld(portfolio: string, line: number, { rows, portfolios }: FreeDeps): Promise<LimitlineError> {
  const { states } = await portfolios.read(portfolio);
  const first = await rows.behind(portfolio, 'held', { line: 0, count: NAMED });
  const lines = first.map((found) => found.line).join(', ');
  const held = states.held === 0 ? 'no line of it is' : `held are lines ${lines}${states.held > NAMED ? ' …' : ''}`;
  return new LimitlineError('NOT_FOUND', `Line ${line} of portfolio "${portfolio}" is not held; ${held}.`);
}
