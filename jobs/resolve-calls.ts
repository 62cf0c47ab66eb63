import { z } from 'zod';
import { LimitlineError } from '../src/errors.ts';
import type { Calls, Thing } from '../src/ledger/calls.ts';
import type { CallKind } from '../src/ledger/keys.ts';
import { STEPS, type Step } from '../src/ledger/rows.ts';
import { type FeedDeps, feed } from './feed.ts';
import { sendAgain } from './retry-rows.ts';
import { documentKey } from './upload-documents.ts';
import { type FoundRow, walkRows } from './walk-rows.ts';

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
    const held: FoundRow[] = [];
    await walkRows(deps.rows, portfolio, 'held', async (found) => {
      const meant =
        (line === undefined || found.result.line === line) && (step === undefined || found.result.step === step);
      if (meant) held.push(found);
      return false;
    });
    if (held.length === 0 && line !== undefined) throw await notHeld(portfolio, line, deps);
    if (made !== undefined) checkId(made, held);
    let resolved = 0;
    for (const found of held) {
      for (const call of callsOf(found)) {
        if ((await deps.calls.resolve(call, found.result.request.buyer, made)) === 'resolved') resolved += 1;
      }
    }
    const freed = await freeRows(deps);
    await feed(deps);
    return { calls: resolved, rows: freed };
  },
} as const;

/** Puts every held row, wherever it stands, back to its step when none of its calls is unknown any more. */
async function freeRows(deps: ResolveDeps): Promise<number> {
  let freed = 0;
  for (const name of await deps.portfolios.names()) {
    freed += await walkRows(deps.rows, name, 'held', async (found) => {
      const unknown = await Promise.all(callsOf(found).map((call) => deps.calls.isUnknown(call)));
      return unknown.includes(true) ? false : sendAgain(found.row, 'held', deps);
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
