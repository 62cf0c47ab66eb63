import { z } from 'zod';
import { LimitlineError } from '../src/errors.ts';
import type { Calls, Thing } from '../src/ledger/calls.ts';
import type { CallKind } from '../src/ledger/keys.ts';
import { rowName } from '../src/ledger/row-id.ts';
import { STEPS, type Step } from '../src/ledger/rows.ts';
import { type FeedDeps, feed } from './feed.ts';
import { sendAgain } from './retry-rows.ts';
import { documentKey } from './upload-documents.ts';
import { type FoundRow, rowsOfLine, walkRows } from './walk-rows.ts';

export type ResolveDeps = FeedDeps & { calls: Calls };

const payloadSchema = z.object({
  portfolio: z.string(),
  /** One line, or all held rows. */
  line: z.int().optional(),
  step: z.enum(STEPS).optional(),
  /** The id of what was made; without it the call may be sent again. */
  made: z.string().optional(),
});

export type ResolvePayload = z.output<typeof payloadSchema>;

/** What was resolved: calls, and the rows that go on because of it, in any portfolio. */
export type Resolution = { calls: number; rows: number };

/** The ids of the service have these prefixes, where any is shown (service-api: "Resources and their fields"). */
const PREFIXES: Partial<Record<Step, string>> = { company: 'company_', limit: 'bl_' };

/**
 * A person says what became of calls whose outcome is unknown. Rows of all portfolios that were held because of such a
 * call go on: past it where it made something, through it where it may be sent again.
 */
export const resolveCalls = {
  name: 'resolve-calls',
  parse: (data: unknown): ResolvePayload => payloadSchema.parse(data),

  async run({ portfolio, line, step, made }: ResolvePayload, deps: ResolveDeps): Promise<Resolution> {
    const held = (await heldRows(portfolio, line, deps)).filter(
      ({ result }) => step === undefined || result.step === step,
    );
    if (held.length === 0 && line !== undefined) throw await notHeld(portfolio, line, deps);
    if (made !== undefined) checkId(made, held);
    const spokenOf = new Set<string>();
    for (const found of held) {
      if (await resolveFirst(found, made, deps)) spokenOf.add(rowName(found.row));
    }
    const freed = await freeRows(spokenOf, deps);
    await feed(deps);
    return { calls: spokenOf.size, rows: freed };
  },
} as const;

async function heldRows(portfolio: string, line: number | undefined, deps: ResolveDeps): Promise<FoundRow[]> {
  if (line !== undefined) return rowsOfLine(deps, portfolio, 'held', line);
  const held: FoundRow[] = [];
  await walkRows(deps.rows, portfolio, 'held', async (found) => {
    held.push(found);
    return false;
  });
  return held;
}

/**
 * Resolves the one call that a row is held at: the first of its step that is unknown, since they go one after another.
 * Of a later document in doubt nobody has spoken.
 */
async function resolveFirst(found: FoundRow, made: string | undefined, { calls }: ResolveDeps): Promise<boolean> {
  for (const call of callsOf(found)) {
    if ((await calls.resolve(call, found.result.request.buyer, made)) === 'resolved') return true;
  }
  return false;
}

/**
 * Puts held rows, wherever they stand, back to their step: those spoken of, and those none of whose calls is unknown
 * any more.
 */
async function freeRows(spokenOf: ReadonlySet<string>, deps: ResolveDeps): Promise<number> {
  let freed = 0;
  for (const name of await deps.portfolios.names()) {
    freed += await walkRows(deps.rows, name, 'held', async (found) => {
      const unknown = await Promise.all(callsOf(found).map((call) => deps.calls.isUnknown(call)));
      const waits = unknown.includes(true) && !spokenOf.has(rowName(found.row));
      return waits ? false : sendAgain(found.row, 'held', deps);
    });
  }
  return freed;
}

/** The calls that a row's step makes, of which one at least is why it is held. */
function callsOf({ row, result }: FoundRow): Pick<Thing, 'kind' | 'key'>[] {
  const call = (kind: CallKind, key: string) => ({ kind, key });
  switch (result.step) {
    case 'company':
      return [call('company', result.request.buyer)];
    case 'documents':
      return result.request.documents.map((document) => call('document', documentKey(document)));
    case 'limit':
      return [call('limit', row.key)];
  }
}

function checkId(id: string, held: FoundRow[]): void {
  if (held.length > 1) {
    throw new LimitlineError(
      'USAGE',
      `"${id}" cannot be what ${held.length} held rows made; import their file again, so that a line names one of them.`,
    );
  }
  for (const { result } of held) {
    const prefix = PREFIXES[result.step];
    if (prefix === undefined || (id.startsWith(prefix) && id.length > prefix.length)) continue;
    throw new LimitlineError(
      'USAGE',
      `"${id}" is no id of what line ${result.line} is held at: its step is ${result.step}, whose ids begin with ${prefix}.`,
    );
  }
}

async function notHeld(portfolio: string, line: number, { rows, portfolios }: ResolveDeps): Promise<LimitlineError> {
  const { states } = await portfolios.read(portfolio);
  const lines: number[] = [];
  await walkRows(rows, portfolio, 'held', async ({ result }) => {
    if (lines.length < 10) lines.push(result.line);
    return false;
  });
  const held =
    states.held === 0 ? 'no line of it is' : `held are lines ${lines.join(', ')}${states.held > 10 ? ' …' : ''}`;
  return new LimitlineError('NOT_FOUND', `Line ${line} of portfolio "${portfolio}" is not held; ${held}.`);
}
