import { KINDS } from '../../src/call-kind.ts';
import { counted, moneyText } from '../../src/counted.ts';
import type { Calls } from '../../src/ledger/calls/calls.ts';
import { type AmountIn, sumsByCurrency } from '../../src/ledger/counts/outcome-sums.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { type HeldRow, isHeldBehind, MOST_HELD, type Stories } from '../../src/ledger/rows/story.ts';
import { type RowId, rowName } from '../../src/ledger/schema/schema.ts';
import type { HeldItem, HeldPage, HeldSummary } from '../../src/ledger/story/row-story.ts';
import { capitalized } from '../../src/sentence.ts';
import { secondText } from '../../src/utc-text.ts';
import { callName } from '../operators/id-faults.ts';
import { importName, makeImportLook } from '../rows/import-names.ts';
import { callInDoubt, callsOf } from '../rows/walk-rows.ts';

type AccountDeps = { rows: Pick<Rows, 'read'>; stories: Stories; calls: Pick<Calls, 'isUnknown'> };

type DeskDeps = AccountDeps & { rows: Rows; portfolios: Portfolios };

/** Rows read at a time. */
const AT_ONCE = 500;

/** The number of held rows on a page: as many as a person reads through. */
const PAGE = 50;

/**
 * Reads held rows for people. In lists of the account, rows that share a call in doubt appear once, since one answer serves them all. Open
 * pages ask every two seconds, so sums are kept until other rows are held, provided that the files of all rows were read.
 */
export function makeHeldDesk(deps: DeskDeps) {
  const last = new Map<string | undefined, { held: HeldRow[]; sums: AmountIn[]; isWhole: true }>();

  async function heldOf(portfolio: string | undefined, count: number, after?: HeldRow): Promise<HeldRow[]> {
    if (portfolio !== undefined) return deps.stories.held({ portfolio, after, count });
    const all = await oneForEachCall(await deps.stories.held({ count: Number.POSITIVE_INFINITY }), deps);
    return all.filter((held) => !after || isHeldBehind(held, after)).slice(0, count);
  }

  async function summed(portfolio: string | undefined): Promise<HeldSummary> {
    const { held, total } = portfolio === undefined ? await questions(deps) : await heldIn(portfolio, deps);
    const known = last.get(portfolio);
    const { sums, isWhole } = known && areSame(known.held, held) ? known : await sumsOf(held, deps);
    if (isWhole) last.set(portfolio, { held, sums, isWhole });
    return { total, sums, summed: held.length, oldestMs: held[0]?.atMs };
  }

  /** The number of held rows in a portfolio or in the account, and their sums; undefined where there is no such portfolio. */
  async function summary(portfolio: string | undefined): Promise<HeldSummary | undefined> {
    if (portfolio !== undefined && (await deps.portfolios.read(portfolio)).startedMs === undefined) return undefined;
    return summed(portfolio);
  }

  return {
    summary,
    ofAccount: (): Promise<HeldSummary> => summed(undefined),

    /** A page of held rows, the oldest first, or `only` one of them; undefined where there is no such portfolio. */
    async page(
      portfolio: string | undefined,
      { after, only }: { after?: HeldRow | undefined; only?: RowId | undefined },
    ): Promise<HeldPage | undefined> {
      const all = await summary(portfolio);
      if (!all) return undefined;
      if (only) return { ...all, items: await itemsOf([only], deps), next: undefined };
      const held = await heldOf(portfolio, PAGE + 1, after);
      const shown = held.slice(0, PAGE);
      const items = await itemsOf(
        shown.map(({ row }) => row),
        deps,
      );
      return { ...all, items, next: held.length > PAGE ? shown.at(-1) : undefined };
    },

    /** The rows of the page after this row; those of the first page if it is left out. */
    behind: (portfolio: string | undefined, after: HeldRow | undefined): Promise<HeldRow[]> =>
      heldOf(portfolio, PAGE, after),

    /** All held rows of a portfolio or of the account, up to {@link MOST_HELD}. */
    rows: (portfolio: string | undefined): Promise<HeldRow[]> => heldOf(portfolio, MOST_HELD),

    /** These rows, without those that are no longer held. */
    items: (rows: readonly RowId[]): Promise<HeldItem[]> => itemsOf(rows, deps),
  };
}

/** The most characters of what was sent that the letter quotes: enough to find the call at the service. */
const MOST_TOLD = 2_000;

/**
 * A letter that asks the service's staff about calls in doubt: what was asked for, when, for whom, and what we need to know. In UTC.
 *
 * @param others how many more there are, for which the letter has no room
 */
export function heldLetter(items: readonly HeldItem[], others: number, { account }: { account: string }): string {
  const one = items.length === 1;
  const intro = [
    `We sent you ${one ? 'a request' : `${items.length} requests`} and received no answer that tells us what became of ${one ? 'it' : 'them'}.`,
    `Please tell us${one ? '' : ' for each of them'} whether you created it, and if so, its id. Until you answer, we will not send ${one ? 'it' : 'them'} again.`,
    '',
    `Account: ${account}`,
  ];
  if (others > 0) intro.push('', `We will ask you about ${counted(others, 'more request')} in another letter.`);
  return [...intro, ...items.flatMap((item, place) => ['', ...itemLines(item, place + 1)])].join('\n');
}

/** The first held rows of a portfolio, and how many there are. */
async function heldIn(portfolio: string, { stories, portfolios }: DeskDeps): Promise<Questions> {
  const held = await stories.held({ portfolio, count: MOST_HELD });
  return { held, total: held.length < MOST_HELD ? held.length : (await portfolios.read(portfolio)).states.held };
}

type Questions = { held: HeldRow[]; total: number };

/** The last result for each ledger. Each page shows the number of questions, and counting them means reading rows that share a request. */
const found = new WeakMap<Stories, { digest: string; compared: number; held: HeldRow[] }>();

/**
 * The first held rows of the account, one for each question, and how many questions there are. Rows beyond the first {@link MOST_HELD} are
 * not compared.
 */
async function questions(deps: AccountDeps): Promise<Questions> {
  const { stories } = deps;
  const { total, digest } = await stories.heldDigest();
  const last = found.get(stories);
  if (last?.digest === digest) return { held: last.held, total: total - last.compared + last.held.length };
  const first = await stories.held({ count: MOST_HELD });
  const held = await oneForEachCall(first, deps);
  // The digest is read again: it differs if rows were held or answered meanwhile, and then the compared rows are not kept for it.
  if ((await stories.heldDigest()).digest === digest) found.set(stories, { digest, compared: first.length, held });
  return { held, total: total - first.length + held.length };
}

/** Whether both are the same rows, held since the same moments. */
function areSame(some: readonly HeldRow[], others: readonly HeldRow[]): boolean {
  const isOther = ({ row, atMs }: HeldRow, at: number) =>
    atMs !== others[at]?.atMs || row.key !== others[at].row.key || row.portfolio !== others[at].row.portfolio;
  return some === others || (some.length === others.length && !some.some(isOther));
}

/** How many calls of the account wait for a person's answer. A call for which several rows wait is one. */
export async function countQuestions(deps: AccountDeps): Promise<number> {
  return (await questions(deps)).total;
}

/**
 * The first of the held rows that wait for an answer about the same call. Only rows of the same request can share one, and those are few.
 * Even of these, one may be held at its company and another at its limit.
 */
async function oneForEachCall(held: readonly HeldRow[], { rows, calls }: AccountDeps): Promise<HeldRow[]> {
  const ofOneKey = [...Map.groupBy(held, ({ row }) => row.key).values()];
  const shared = ofOneKey.flatMap((some) => (some.length > 1 ? some : []));
  const names = new Map<HeldRow, string>();
  for (let from = 0; from < shared.length; from += AT_ONCE) {
    const some = shared.slice(from, from + AT_ONCE);
    const results = await rows.read(some.map(({ row }) => row));
    const named = some.map(async (one, place) => {
      const result = results[place];
      const call = result && (await callInDoubt({ row: one.row, result }, { calls }));
      if (call) names.set(one, callName(call));
    });
    await Promise.all(named);
  }
  const seen = new Set<string>();
  return held.filter((one) => {
    const name = names.get(one) ?? one.row.key;
    return !seen.has(name) && seen.add(name);
  });
}

/** Sums of the held rows' amounts. `isWhole`: all their files were read to their ends, so all currencies are known. */
async function sumsOf(held: readonly HeldRow[], deps: DeskDeps): Promise<{ sums: AmountIn[]; isWhole: boolean }> {
  const importOf = makeImportLook(deps);
  let isWhole = true;
  const all: AmountIn[] = [];
  for (let from = 0; from < held.length; from += AT_ONCE) {
    const rows = held.slice(from, from + AT_ONCE).map(({ row }) => row);
    for (const [place, result] of (await deps.rows.read(rows)).entries()) {
      const row = rows[place];
      if (result?.state !== 'held' || !row) continue;
      const from = await importOf(row, result.importId);
      if (from && !from.found) isWhole = false;
      all.push({ amount: result.request.limit.requested_limit, currency: from?.found?.currency });
    }
  }
  return { sums: sumsByCurrency(all), isWhole };
}

async function itemsOf(rows: readonly RowId[], deps: DeskDeps): Promise<HeldItem[]> {
  const results = await deps.rows.read(rows);
  const importOf = makeImportLook(deps);
  const items = rows.map(async (row, place): Promise<HeldItem[]> => {
    const result = results[place];
    if (result?.state !== 'held') return [];
    const { line, importId, request, step, problem, updatedMs } = result;
    const calls = callsOf({ row, result });
    const known = await deps.stories.calls(calls);
    const at = known.findIndex((call) => call?.state === 'unknown');
    const call = known[at];
    const from = await importOf(row, importId);
    return [
      {
        row,
        atMs: updatedMs,
        line,
        import: from ? importName(from) : '',
        name: request.name,
        amount: request.limit.requested_limit,
        currency: from?.found?.currency,
        step,
        kind: calls[0]?.kind ?? 'limit',
        which: step === 'documents' ? (request.documents[Math.max(at, 0)]?.name ?? '') : '',
        sentMs: call?.lostMs,
        heard: call?.heard || (problem?.message ?? ''),
        sent: problem?.sent ?? '',
        sentFor: problem?.sentFor,
        request,
        isKnown: at === -1,
      },
    ];
  });
  return (await Promise.all(items)).flat();
}

function itemLines(item: HeldItem, number: number): string[] {
  const { kind, which, sentMs, sent, sentFor, name, amount, currency } = item;
  const { asked, prefix } = KINDS[kind];
  // The amount of a call that was sent for another row stands in its content.
  const isOwn = kind === 'limit' && sentFor === undefined;
  const sum = isOwn ? ` of ${oneLine(`${currency ?? ''} ${moneyText(amount)}`)}` : '';
  return [
    `${number}. ${capitalized(asked)}${sum}${which === '' ? '' : ` "${oneLine(which)}"`} for ${oneLine(name)}`,
    `   Sent: ${sentMs === undefined ? `before ${secondText(item.atMs)}` : secondText(sentMs)}`,
    ...(sent === '' ? [] : [`   Content: ${oneLine(sent).slice(0, MOST_TOLD)}`]),
    `   Our reference: ${sentFor ?? rowName(item.row)}`,
    `   Did you create it? If so, its id${prefix === '' ? '' : ` (${prefix}…)`}:`,
  ];
}

/** The text on one line: line breaks and invisible signs in a name or answer could forge lines of the letter. */
const oneLine = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();
