import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import type { HeldRow, Stories } from '../../src/ledger/rows/story.ts';
import type { HeldItem, HeldPage } from '../../src/ledger/story/row-story.ts';
import { callsOf } from '../rows/calls-of.ts';
import { importNames } from '../rows/import-names.ts';

type DeskDeps = { rows: Rows; portfolios: Portfolios; stories: Stories };

export async function heldPage(
  { portfolio, after, count }: { portfolio?: string | undefined; after?: HeldRow | undefined; count: number },
  deps: DeskDeps,
): Promise<HeldPage> {
  const held = await deps.stories.held({ portfolio, after, count: count + 1 });
  const shown = held.slice(0, count);
  const [total, items] = await Promise.all([countHeld(portfolio, deps), itemsOf(shown, deps)]);
  return { items, total, next: held.length > count ? shown.at(-1) : undefined };
}

async function countHeld(portfolio: string | undefined, { portfolios, stories }: DeskDeps): Promise<number> {
  return portfolio === undefined ? stories.heldCount() : (await portfolios.read(portfolio)).states.held;
}

async function itemsOf(held: readonly HeldRow[], deps: DeskDeps): Promise<HeldItem[]> {
  const results = await deps.rows.read(held.map(({ row }) => row));
  const names = new Map<string, Promise<Map<string, string>>>();
  const namesOf = (portfolio: string) => {
    const known = names.get(portfolio) ?? importNames(portfolio, deps);
    names.set(portfolio, known);
    return known;
  };
  const items = held.map(async ({ row, atMs }, place): Promise<HeldItem[]> => {
    const result = results[place];
    if (result?.state !== 'held') return [];
    const { line, importId, request, step, problem } = result;
    const calls = callsOf({ row, result });
    const known = await deps.stories.calls(calls);
    const at = known.findIndex((call) => call?.state === 'unknown');
    const call = known[at];
    return [
      {
        row,
        atMs,
        line,
        import: (await namesOf(row.portfolio)).get(importId) ?? '',
        name: request.name,
        amount: request.limit.requested_limit,
        step,
        kind: calls[0]?.kind ?? 'limit',
        which: step === 'documents' ? (request.documents[Math.max(at, 0)]?.name ?? '') : '',
        sentMs: call?.lostMs,
        heard: call?.heard || (problem?.message ?? ''),
        sent: problem?.sent ?? '',
        request,
        isKnown: at === -1,
      },
    ];
  });
  return (await Promise.all(items)).flat();
}
