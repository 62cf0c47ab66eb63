import { Big } from 'big.js';
import type { AskedFor } from '../../src/ledger/approvals/approval-look.ts';
import type { Approvals } from '../../src/ledger/approvals/approvals.ts';
import type { Over } from '../../src/ledger/approvals/close-approval.ts';
import type { Thing } from '../../src/ledger/calls/claim-answers.ts';
import { sumIn } from '../../src/ledger/counts/sums.ts';
import type {
  Approval,
  ApprovalPolicy,
  OverOf,
  ReasonToAsk,
  SupplierInDoubt,
} from '../../src/ledger/schema/approval.ts';
import { asksApproval, asksApprovalOf, whyWords } from '../../src/ledger/schema/approval.ts';
import type { AtNight, PartOfPlan } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import type { Queues } from '../../src/queue/queues.ts';
import { callsOf, type FoundRow } from '../rows/walk-rows.ts';
import { callName } from './id-faults.ts';

/**
 * A row to send again. For a held row: `said` is the id that was made or {@link RESEND}, and `of` is the call that it concerns,
 * since a step may have several. For a row retried by a nightly rule: the rule's night and owner.
 */
export type ResendRequest = {
  found: FoundRow;
  said?: string;
  of?: Pick<Thing, 'kind' | 'key'> | undefined;
  rule?: { by: string; night: AtNight } | undefined;
};

/** The answer that a held call made nothing, so that it may be sent again. The service never gives this as an id. */
export const RESEND = 'resend';

export type AskDeps = {
  approvals: Approvals;
  /** The approval rules in force now. */
  approvalPolicy: () => Promise<ApprovalPolicy>;
};

/** A request to send rows again or to answer held rows, which may need an approval. */
type ApprovalNeed = {
  portfolio: string;
  kind: 'retry' | 'answer';
  by: string;
  /** When the person looked at the held rows. An answer does not count for a call that was lost again later. */
  asOfMs?: number | undefined;
  /** Who made the plan that `by` confirmed. */
  madeBy?: string | undefined;
  part?: PartOfPlan | undefined;
  /** The supplier to send again as well. */
  supplier?: SupplierInDoubt | undefined;
  /** The approval under which some of these rows wait already, from an attempt that was cut off. */
  approval?: string | undefined;
  /** Called with the approval's id before any row waits for it. */
  onAsked?: (approval: string) => Promise<unknown>;
};

/**
 * Every retry and every answer about held rows passes this check first. If another person must approve, the rows are made to
 * wait for an approval, which is returned. If nothing is returned, the caller may act at once.
 *
 * An approval is needed above the limits for sums (APPROVE_ABOVE, APPROVE_ALWAYS). It is also needed, whatever the sum or the
 * rules now, for rows that nobody approved or somebody declined, and for calls in doubt if an answer about them was declined.
 * Who imported such rows stays an author: a retry by somebody else does not make the author another person.
 *
 * @param requested the rows, page by page; called twice, the first time only until the decision is clear
 */
export async function askFirst(
  asking: ApprovalNeed,
  requested: () => AsyncIterable<readonly ResendRequest[]>,
  { approvals, approvalPolicy, queues }: AskDeps & { queues: Queues },
): Promise<AskedFor | undefined> {
  const { portfolio, kind, by, madeBy = by, supplier, part, asOfMs = part?.beforeMs } = asking;
  const policy = await approvalPolicy();
  const needed: Needed | undefined =
    asking.approval === undefined ? await whyNeeded(asking, requested, { approvals, policy }) : { over: [] };
  if (needed === undefined) return undefined;
  const { because } = needed;
  const id = asking.approval ?? (await approvals.askFor({ portfolio, kind, by, because, supplier }));
  if (asking.approval === undefined) await asking.onAsked?.(id);
  // If another person continues a plan, that person becomes an author, too.
  await approvals.addAuthors({ portfolio, id }, [by, madeBy]);
  const earlier = makeEarlierAuthors(approvals);
  for await (const page of requested()) {
    const ofRules = page.flatMap(({ rule }) => rule?.by ?? []);
    await approvals.addAuthors({ portfolio, id }, [...(await earlier(page)), ...ofRules]);
    // Ended jobs are removed first, as in any retry: BullMQ ignores a new job with a known id.
    await queues.forget(rowsOf(page));
    await Promise.all(
      page.map(({ found: { row, result }, said, of, rule }) =>
        approvals.awaitRow(row, result.state as WaitsFrom, {
          id,
          by: rule?.by ?? by,
          night: rule?.night,
          said,
          of: of && callName(of),
          asOfMs,
          part,
          writtenMs: result.updatedMs,
        }),
      ),
    );
  }
  // Whether an approval is needed was decided for these rows, not for the portfolio's sum.
  await approvals.close({ portfolio, id }, { ...policy, always: true }, needed.over);
  const asked = await approvals.read(id);
  return { approval: id, rows: asked?.rows ?? 0, sum: asked?.sum ?? '0', why: asked ? whyWords(asked) : '' };
}

type WaitsFrom = 'refused' | 'cancelled' | 'held';

/**
 * Why an approval is needed. `over`: which sum is above its limit; [] if none is. `redone`: who declined some of the rows before, or an
 * answer about their calls, as `by NAME: WORDS`. `because`: another reason.
 */
type Needed = { over: Over; redone?: string; because?: ReasonToAsk };

/** Why another person has to approve; nothing if nobody has to. */
async function whyNeeded(
  { portfolio, kind, supplier }: Pick<ApprovalNeed, 'portfolio' | 'kind' | 'supplier'>,
  requested: () => AsyncIterable<readonly ResendRequest[]>,
  { approvals, policy }: { approvals: Approvals; policy: ApprovalPolicy },
): Promise<Needed | undefined> {
  if (supplier) {
    const redone = await approvals.noToAnswers([{ kind: 'company', key: supplier.key }]);
    if (redone !== undefined) return { over: [], redone };
    if (policy.always) return { over: [], because: 'always' };
  }
  const asks = asksApproval(policy);
  const standings = new Map<string, string | undefined>();
  const isGranted = async (id: string): Promise<boolean> => {
    if (!standings.has(id)) standings.set(id, (await approvals.read(id))?.standing);
    return standings.get(id) === 'granted';
  };
  const overIfAgain = approvals.overIfAgain(portfolio, policy);
  let sum = new Big(0);
  let needed: Needed | undefined;
  for await (const page of requested()) {
    const [declined]: Iterable<RowId> = needed?.redone ? [] : await approvals.declined(rowsOf(page));
    if (declined) needed = { over: [], redone: await approvals.noTo(declined) };
    const calls = kind === 'answer' && !needed ? page.flatMap(({ found }) => callsOf(found)) : [];
    const no = await approvals.noToAnswers(calls);
    if (no !== undefined) needed = { over: [], redone: no };
    for (const { found } of asks ? page : []) {
      const { approval, state } = found.result;
      sum = sum.plus(amountOf(found));
      if (policy.always) return { because: 'always', ...needed, over: [] };
      if (isAbove(sum, policy)) return { ...needed, over: ['rows', ''] };
      // A cancelled row has lost its approval (rare-moves.lua), so it needs a new one.
      if (approval !== undefined && (state === 'cancelled' || !(await isGranted(approval))))
        needed ??= { over: [], because: 'unapproved' };
    }
    // Only a retry adds to the sums of portfolio and person. Held rows count in them already.
    const over = asks && kind === 'retry' ? await overIfAgain(rowsOf(page)) : [];
    if (over.length > 0) return { ...needed, over };
    // Without rules on sums, no later row can give another reason.
    if (needed && !asks) return needed;
  }
  return needed;
}

/**
 * The result of {@link whyNeeded} in the words that a plan shows; undefined if nobody has to approve.
 *
 * @param sum what the rows ask for in all, as decimal text
 */
export async function whyNeededWords(
  asking: Parameters<typeof whyNeeded>[0],
  requested: Parameters<typeof whyNeeded>[1],
  { sum, approvals, policy }: { sum: string; approvals: Approvals; policy: ApprovalPolicy },
): Promise<string | undefined> {
  const isAbove = !policy.always && asksApprovalOf(policy, sum);
  const needed = await whyNeeded(asking, requested, { approvals, policy });
  const [of, name = '', ...limbs] = isAbove ? ['rows'] : (needed?.over ?? []);
  if (!of) return needed && whyWords({ kind: 'retry', ...needed, over: undefined });
  const over = {
    of: of as OverOf,
    name: of === 'person' ? name : 'One buyer',
    sum: of === 'rows' ? sum : sumOfLimbs(limbs),
    limit: (of === 'person' ? policy.personAbove : policy.above) ?? '0',
  };
  return whyWords({ kind: 'retry', redone: needed?.redone, over });
}

/** Reads a sum as above.lua returns it, in groups of ten digits: an array of a group's place, its digits, the next group's place, and so on. */
function sumOfLimbs(limbs: readonly string[]): string {
  const fields = limbs.flatMap((k, at) => (at % 2 === 0 ? [[`sum:over:${k}`, limbs[at + 1] ?? '']] : []));
  return sumIn(Object.fromEntries(fields), 'over');
}

/**
 * Makes a function that finds authors for a new approval: the authors of these rows' earlier approvals that no person granted. To send such
 * a row is to approve its import, so these authors may not do it alone. A yes is none for a row that had been given up before. Each approval
 * is read once.
 */
function makeEarlierAuthors({ read }: Pick<Approvals, 'read'>): (page: readonly ResendRequest[]) => Promise<string[]> {
  const known = new Map<string, Approval | undefined>();
  const told = new Set<string>();
  return async (page) => {
    const ids = new Set(page.flatMap(({ found }) => found.result.approval ?? []).filter((id) => !known.has(id)));
    for (const [id, approval] of await Promise.all([...ids].map(async (id) => [id, await read(id)] as const)))
      known.set(id, approval);
    return page.flatMap(({ found: { result } }) => {
      const approval = known.get(result.approval ?? '');
      if (!approval || told.has(approval.id) || isGiven(approval, result)) return [];
      told.add(approval.id);
      return approval.authors;
    });
  };
}

function isGiven({ standing, answered }: Approval, { state, updatedMs }: FoundRow['result']): boolean {
  if (standing !== 'granted' || !answered?.by) return false;
  return state !== 'cancelled' || updatedMs >= answered.atMs;
}

function isAbove(sum: Big, { always, above }: ApprovalPolicy): boolean {
  return always || (above !== undefined && sum.gt(above));
}

const rowsOf = (page: readonly ResendRequest[]) => page.map(({ found }) => found.row);

const amountOf = ({ result }: FoundRow): string => result.request.limit.requested_limit;

/**
 * Pages of rows to act on, after {@link askFirst} needed no approval. Workers may have added rows meanwhile. If the sum then needs an
 * approval, the rows beyond it are left out.
 */
export async function* asDecided(
  requested: AsyncIterable<readonly ResendRequest[]>,
  { approvalPolicy }: AskDeps,
): AsyncGenerator<readonly ResendRequest[]> {
  const policy = await approvalPolicy();
  let sum = new Big(0);
  for await (const page of requested) {
    const decided: ResendRequest[] = [];
    for (const one of page) {
      sum = sum.plus(amountOf(one.found));
      if (!isAbove(sum, policy)) decided.push(one);
    }
    yield decided;
  }
}

/** These rows as one page, for {@link askFirst}. */
export async function* justThese(requested: readonly ResendRequest[]): AsyncGenerator<readonly ResendRequest[]> {
  if (requested.length > 0) yield requested;
}
