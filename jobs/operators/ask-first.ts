import { Big } from 'big.js';
import type { AskedFor } from '../../src/ledger/approvals/approval-look.ts';
import type { Approvals } from '../../src/ledger/approvals/approvals.ts';
import type { Over } from '../../src/ledger/approvals/close-approval.ts';
import type { Thing } from '../../src/ledger/calls/claim-answers.ts';
import type { SupplierInDoubt } from '../../src/ledger/schema/approval.ts';
import { type ApprovalPolicy, asksApproval, whyWords } from '../../src/ledger/schema/approval.ts';
import type { AtNight, PartOfPlan } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import type { Queues } from '../../src/queue/queues.ts';
import { callsOf } from '../rows/calls-of.ts';
import type { FoundRow } from '../rows/walk-rows.ts';
import { callName } from './id-faults.ts';

/**
 * A row that somebody asks to have sent again; of a held one with what they say of its call, an id or {@link RESEND}, and which call
 * they say it of: a step may have several. Of one that goes by a rule at night the rule, and whose it is.
 */
export type ResendRequest = {
  found: FoundRow;
  said?: string;
  of?: Pick<Thing, 'kind' | 'key'> | undefined;
  rule?: { by: string; night: AtNight } | undefined;
};

/** What is said of a held call that was not made: it may be sent again. No id of the service is this word. */
export const RESEND = 'resend';

export type AskDeps = {
  approvals: Approvals;
  /** What another person has to approve at this moment. */
  approvalPolicy: () => Promise<ApprovalPolicy>;
};

/** Who asks for what. */
export type ApprovalNeed = {
  portfolio: string;
  kind: 'retry' | 'answer';
  by: string;
  /** When who says something of held rows looked: what was lost since is not spoken of. */
  asOfMs?: number | undefined;
  /** Who made the plan that `by` confirmed. */
  madeBy?: string | undefined;
  /** The plan that this is a part of. */
  part?: PartOfPlan | undefined;
  /** This supplier goes as well. */
  supplier?: SupplierInDoubt | undefined;
  /** Rows of this request wait under it already, since whoever asked for it was stopped half way. */
  approval?: string | undefined;
  /** Hears of the approval before any row is put under it. */
  onAsked?: (approval: string) => Promise<unknown>;
};

/**
 * The one place that all ways of sending rows again, and of saying what became of held ones, pass before they act: where that needs
 * another person's approval, the rows are put to wait under one, and what waits is answered; then nothing may be done. Nothing is
 * answered where it may be done at once.
 *
 * It is needed by the policy on sums (APPROVE_ABOVE, APPROVE_ALWAYS), and for rows whose approval nobody gave, whatever their sum: what
 * was declined is not sent again a row at a time, nor where the policy was lifted since; the same of a call in doubt, where somebody
 * said no to what was said of it. Of those, who brought the rows in is an author still: that somebody else would have
 * them sent again makes nobody another person.
 *
 * @param requested the rows, a page at a time; gone through twice, the first time no further than it takes to decide
 */
export async function askFirst(
  asking: ApprovalNeed,
  requested: () => AsyncIterable<readonly ResendRequest[]>,
  { approvals, approvalPolicy, queues }: AskDeps & { queues: Queues },
): Promise<AskedFor | undefined> {
  const { portfolio, kind, by, madeBy = by, supplier, part, asOfMs = part?.beforeMs } = asking;
  const policy = await approvalPolicy();
  const needed =
    asking.approval === undefined ? await whyNeeded(asking, requested, { approvals, policy }) : { over: [] };
  if (needed === undefined) return undefined;
  const id = asking.approval ?? (await approvals.askFor({ portfolio, kind, by, supplier }));
  if (asking.approval === undefined) await asking.onAsked?.(id);
  // Whoever goes on with a plan that was left half way asks for it as well.
  await approvals.addAuthors({ portfolio, id }, [by, madeBy]);
  const earlier = makeEarlierAuthors(approvals);
  for await (const page of requested()) {
    const ofRules = page.flatMap(({ rule }) => rule?.by ?? []);
    await approvals.addAuthors({ portfolio, id }, [...(await earlier(page)), ...ofRules]);
    // Its ended job goes first, as for a row that goes again at once: an add with an id that BullMQ still knows is ignored.
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
  // That it is needed is decided by these rows, and not by all of the portfolio.
  await approvals.close({ portfolio, id }, { ...policy, always: true }, needed.over);
  const asked = await approvals.read(id);
  return { approval: id, rows: asked?.rows ?? 0, sum: asked?.sum ?? '0', why: asked ? whyWords(asked) : '' };
}

/** The states from which a row can come to wait. */
type WaitsFrom = 'refused' | 'cancelled' | 'held';

/** Which sum is above its limit, [] where none is; and who said no to some of it before, as `by NAME: WORDS`. */
export type Needed = { over: Over; redone?: string };

/** Why another person has to approve it; nothing where nobody has to. */
export async function whyNeeded(
  { portfolio, kind, supplier }: Pick<ApprovalNeed, 'portfolio' | 'kind' | 'supplier'>,
  requested: () => AsyncIterable<readonly ResendRequest[]>,
  { approvals, policy }: { approvals: Approvals; policy: ApprovalPolicy },
): Promise<Needed | undefined> {
  const ofSupplier = supplier && ([{ kind: 'company', key: supplier.key }] as const);
  if (ofSupplier && (policy.always || (await approvals.isAnswerDeclined(ofSupplier)))) return { over: [] };
  const asks = asksApproval(policy);
  const standings = new Map<string, string | undefined>();
  const isGranted = async (id: string): Promise<boolean> => {
    if (!standings.has(id)) standings.set(id, (await approvals.read(id))?.standing);
    return standings.get(id) === 'granted';
  };
  let sum = new Big(0);
  let needed: Needed | undefined;
  for await (const page of requested()) {
    const [declined]: Iterable<RowId> = needed?.redone ? [] : await approvals.declined(rowsOf(page));
    if (declined) needed = { over: [], redone: await approvals.noTo(declined) };
    const calls = kind === 'answer' && !needed ? page.flatMap(({ found }) => callsOf(found)) : [];
    if (await approvals.isAnswerDeclined(calls)) needed = { over: [] };
    for (const { found } of asks ? page : []) {
      const { approval, state } = found.result;
      sum = sum.plus(amountOf(found));
      if (isAbove(sum, policy)) return { ...needed, over: policy.always ? [] : ['rows', ''] };
      // Whoever gives a row up takes it out of its approval (rare-moves.lua).
      if (approval !== undefined && (state === 'cancelled' || !(await isGranted(approval)))) needed ??= { over: [] };
    }
    // What was said of held rows lets nothing pass that did not count before.
    const over = asks && kind === 'retry' ? await approvals.overIfAgain(portfolio, rowsOf(page), policy) : [];
    if (over.length > 0) return { ...needed, over };
    // No sum is above a limit where there is none.
    if (needed && !asks) return needed;
  }
  return needed;
}

/**
 * Answers who asked for what these rows waited for before, as far as no person said yes to it, of each approval once: to send such a row
 * again is to approve what was brought in.
 */
function makeEarlierAuthors({ read }: Pick<Approvals, 'read'>): (page: readonly ResendRequest[]) => Promise<string[]> {
  const seen = new Set<string>();
  return async (page) => {
    const ids = new Set(page.flatMap(({ found }) => found.result.approval ?? []).filter((id) => !seen.has(id)));
    for (const id of ids) seen.add(id);
    const approvals = await Promise.all([...ids].map(read));
    return approvals.flatMap((approval) => {
      const isGiven = approval?.standing === 'granted' && (approval.answered?.by ?? '') !== '';
      return approval === undefined || isGiven ? [] : approval.authors;
    });
  };
}

function isAbove(sum: Big, { always, above }: ApprovalPolicy): boolean {
  return always || (above !== undefined && sum.gt(above));
}

const rowsOf = (page: readonly ResendRequest[]) => page.map(({ found }) => found.row);

function amountOf({ result }: FoundRow): string {
  return result.request.limit.requested_limit;
}

/**
 * The same rows for who acts on them, once nothing was answered: workers go on meanwhile, and what they brought since goes no further
 * than needs no approval. The rest stays as it is.
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

/** One row, as {@link askFirst} goes through them. */
export async function* justThese(requested: readonly ResendRequest[]): AsyncGenerator<readonly ResendRequest[]> {
  if (requested.length > 0) yield requested;
}
