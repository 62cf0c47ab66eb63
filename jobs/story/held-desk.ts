import { KINDS } from '../../src/call-kind.ts';
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

/** Characters of what was sent that the text quotes: enough to find the call at the service. */
const MOST_TOLD = 2_000;

/** A text that asks the service's staff about calls in doubt. Plain, in UTC, with what was sent, and without internal terms. */
export function heldText(items: readonly HeldItem[], { account, nowMs }: { account: string; nowMs: number }): string {
  const calls = items.length === 1 ? 'a request' : `${items.length} requests`;
  const which = items.length === 1 ? '' : ' for each of them';
  const intro = [
    `We sent you ${calls}, and nothing that came back to us says whether anything was created.`,
    `Please tell us${which} whether it was created, and if so under which id. Until then we do not send it again.`,
    '',
    `Account: ${account}`,
    `Times are UTC. Written ${utc(nowMs)}.`,
  ];
  return [...intro, ...items.flatMap((item, place) => ['', ...itemLines(item, place + 1)])].join('\n');
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

function itemLines(item: HeldItem, number: number): string[] {
  const { kind, which, sentMs, heard, sent, name } = item;
  const { asked, prefix } = KINDS[kind];
  const id = prefix === '' ? 'its id' : `its id, which begins with ${prefix}`;
  return [
    `${number}. ${asked}${which === '' ? '' : ` "${oneLine(which)}"`} for ${oneLine(name)}`,
    `   Sent: ${sentMs === undefined ? `at a time that we do not know exactly, before ${utc(item.atMs)}` : utc(sentMs)}`,
    `   What came back: ${oneLine(heard) || 'nothing'}`,
    `   What was sent: ${oneLine(sent).slice(0, MOST_TOLD) || 'not kept'}`,
    `   Our reference: ${item.row.portfolio}/${item.row.key}`,
    `   Was it created? If so: ${id}.`,
  ];
}

/** `2026-11-22 06:14:03 UTC`: to the second, for a search in logs. */
function utc(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Line breaks in a name or response could forge lines of the text. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').trim();
}
