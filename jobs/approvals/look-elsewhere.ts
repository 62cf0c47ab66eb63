import { counted, moneyText } from '../../src/counted.ts';
import type { CallElsewhere } from '../../src/ledger/approvals/approval-look.ts';
import type { Approvals } from '../../src/ledger/approvals/approvals.ts';
import type { Calls } from '../../src/ledger/calls/calls.ts';
import { exactText } from '../../src/ledger/counts/outcome-sums.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import type { Approval } from '../../src/ledger/schema/approval.ts';
import type { FoundRow } from '../../src/ledger/search/row-filter.ts';
import { documentKey, readFound } from '../rows/walk-rows.ts';

type StandingDeps = { calls: Pick<Calls, 'stateOf'> };
type ElsewhereDeps = StandingDeps & { approvals: Pick<Approvals, 'rowsOf'>; rows: Pick<Rows, 'read'> };

/**
 * What a yes to an approval would request now: `goes`, which is at most what the approval covers. A row that {@link standsElsewhere} requests
 * nothing, or nothing yet; `words` say how many these are. Rows that were not looked at within {@link LOOK_MS} count as requested.
 */
export async function lookElsewhere(
  approval: Approval,
  { approvals, rows, calls }: ElsewhereDeps,
): Promise<{ goes: Pick<Approval, 'rows' | 'sum'>; words: string[] }> {
  const goes = { rows: approval.rows, sum: approval.sum };
  if (approval.standing !== 'waiting' || approval.kind === 'answer') return { goes, words: [] };
  const untilMs = performance.now() + LOOK_MS;
  const amounts: Record<CallElsewhere, string[]> = { made: [], held: [], 'under way': [] };
  let [seen, isWhole] = [0, true];
  for await (const page of standingRows(approval, PAGE, { approvals, rows, calls })) {
    isWhole = performance.now() < untilMs;
    if (!isWhole) break;
    for (const { found, stand } of page) if (stand) amounts[stand].push(found.result.request.limit.requested_limit);
    seen += PAGE;
  }
  const words = isWhole
    ? []
    : [`Only the first ${counted(seen, 'row')} of it were compared with what was requested elsewhere meanwhile.`];
  const sentences: string[] = [];
  for (const stand of ['made', 'held', 'under way'] as const) {
    const { length } = amounts[stand];
    if (length === 0) continue;
    const sum = exactText(amounts[stand]);
    goes.rows -= length;
    goes.sum = exactText([goes.sum, `-${sum}`]);
    sentences.push(`${counted(length, 'row')}, ${moneyText(sum)} in all, ${WORDS[stand](length === 1)}`);
  }
  if (sentences.length === 0) return { goes, words };
  sentences.push(`A yes requests ${counted(goes.rows, 'row')} now, ${moneyText(goes.sum)} in all.`);
  return { goes, words: [sentences.join(' '), ...words] };
}

const WORDS: Readonly<Record<CallElsewhere, (isOne: boolean) => string>> = {
  made: (isOne) => `${isOne ? 'was' : 'were'} requested elsewhere meanwhile, and nothing is requested twice.`,
  held: (isOne) =>
    `${isOne ? 'is' : 'are'} held elsewhere: nothing is sent for ${isOne ? 'it' : 'them'} until a person answers.`,
  'under way': (isOne) =>
    `${isOne ? 'is' : 'are'} under way elsewhere: nothing is sent for ${isOne ? 'it' : 'them'} before the answer is there.`,
};

/** The rows of an approval, so many at a time, each with {@link standsElsewhere}. */
export async function* standingRows(
  approval: Approval,
  count: number,
  { approvals, rows, calls }: ElsewhereDeps,
): AsyncGenerator<{ found: FoundRow; stand: CallElsewhere | undefined }[]> {
  for (let from = 0; ; from += count) {
    const page = await approvals.rowsOf(approval, { from, count });
    const found = await readFound(page, rows);
    yield Promise.all(found.map(async (one) => ({ found: one, stand: await standsElsewhere(one, { calls }) })));
    if (page.length < count) return;
  }
}

/** What became of a row's limit, its buyer's company or its documents, in whatever portfolio, if nothing is sent for the row because of that. */
export async function standsElsewhere(
  { row, result }: FoundRow,
  { calls }: StandingDeps,
): Promise<CallElsewhere | undefined> {
  const { buyer, companyId, documents } = result.request;
  const [limit, ...before] = await Promise.all([
    calls.stateOf({ kind: 'limit', key: row.key }),
    companyId === undefined ? calls.stateOf({ kind: 'company', key: buyer }) : undefined,
    ...documents.map((document) => calls.stateOf({ kind: 'document', key: documentKey(document) })),
  ]);
  if (limit === 'made') return 'made';
  // A document of unknown outcome is sent again by itself for five minutes at most, and then held as the others are.
  if ([limit, ...before].includes('unknown')) return 'held';
  return limit === 'claimed' ? 'under way' : undefined;
}

/** Rows read at a time. */
const PAGE = 500;

/** How long, in ms, rows are compared with what became of them elsewhere: enough for some 30,000. A page must not wait longer. */
const LOOK_MS = 1_000;
