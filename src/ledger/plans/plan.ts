import { randomBytes } from 'node:crypto';
import type { CallKind } from '../../call-kind.ts';
import { counted, grouped, moneyText } from '../../counted.ts';
import { makeLuaScript } from '../../lua-script.ts';
import { writeAnyway } from '../../redis-memory/memory.ts';
import { DAY_MS } from '../../time-units.ts';
import type { BuyerRow } from '../rows/buyer-rows.ts';
import type { SupplierInDoubt } from '../schema/approval.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import { redisNowMs } from '../schema/redis-reads.ts';
import type { RowState } from '../schema/row.ts';
import type { RowId } from '../schema/schema.ts';
import type { RowFilter } from '../search/row-filter.ts';

/** Planned actions on many rows: send them again, give them up, or send held rows again without an answer. */
export const PLAN_ACTIONS = ['retry', 'cancel', 'resend'] as const;
export type PlanAction = (typeof PLAN_ACTIONS)[number];

/** A planned action, as counted at one moment; never changed. Times are in ms of the server's clock. */
export type Plan = {
  id: string;
  portfolio: string;
  action: PlanAction;
  /** Who made the plan; like whoever confirms it, that person counts as author of an approval. */
  by?: string | undefined;
  /** The rows of the plan: all that match, except those that changed at {@link Plan.atMs} or later. */
  filter: RowFilter;
  /** Description of the cause that the filter names; the ledger deletes a cause with its last failed row. */
  cause: string | null;
  /** Whether the whole portfolio is cancelled: then one change gives up all open rows. */
  whole: boolean;
  atMs: number;
  /** Last moment for confirming the plan. */
  expiresMs: number;
  /**
   * Number of rows, and the exact sum that they request, with the portfolio's currency if its files name one; `isExact` is false if there
   * may be more.
   */
  rows: number;
  sum: string;
  currency?: string | undefined;
  isExact: boolean;
  /** Rows to be sent again although an answer of success came to their call, so that it is likely to be made twice; undefined for none. */
  answered?: number | undefined;
  /** The portfolio's supplier, if its call is in doubt too and is sent again with the rows. */
  supplier?: SupplierInDoubt | undefined;
  /** Held rows of other portfolios that are sent again as well, since they wait for the same calls. */
  elsewhere?: readonly Elsewhere[] | undefined;
  /** Rows to be sent again whose buyer has another request, so that a second limit would be requested; undefined if there are none. */
  others?: OtherRequests | undefined;
  /** The most calls that the plan leads to; none for giving up. */
  calls: Record<CallKind, number>;
  /** Things that the rows name and that are already made, so that they are not made again. */
  made: Record<CallKind, number>;
  /** Whether `calls` and `made` were looked up row by row; if not, they are upper bounds. */
  isLookedUp: boolean;
  /** Duration at the known pace, in seconds; null if no pace is known. */
  seconds: { from: number; to: number } | null;
  /** Why another person has to approve the plan first, in words; undefined if nobody has to. */
  approval?: string | undefined;
  /**
   * How many imports of the portfolio had begun when the plan was made, and (`reopened`) how often one of its ended rows had been sent
   * again. If either number has grown, the plan to cancel the whole portfolio is out of date.
   */
  begun: number;
  reopened: number;
};

/** A plan before it is kept. */
type PlanDraft = Omit<Plan, 'id' | 'expiresMs'>;

/** `stopped`: the process that carried the plan out ended before it was done; confirming again continues it. */
type PlanStanding = 'open' | 'expired' | 'running' | 'stopped' | 'ended';

export type PlanState = {
  plan: Plan;
  standing: PlanStanding;
  /** Words about the pause of the plan's portfolio; undefined if it is not paused now, or that was not looked up. */
  paused?: string | undefined;
  /** {@link Plan.others} with names; undefined if there are none, or that was not looked up. */
  others?: NamedOtherRequests | undefined;
  /** Number of rows that were handled. */
  done: number;
  /** Rows that match the filter now and were added or changed since the plan was made: they were left alone. */
  came: number;
  /** Rows left out since a call of theirs is under way. */
  underWay: number;
  /** The approval that its rows wait for, if any: then `done` counts the rows that wait. */
  waits: string | undefined;
  /** Why the rows wait for an approval, in words for display. */
  why?: string | undefined;
  /** If a whole portfolio is cancelled: how many of its rows were cancelled before. */
  before: number | undefined;
  confirmedBy: string | undefined;
  confirmedMs: number | undefined;
  endedMs: number | undefined;
};

/** Answer to claiming a plan; after `go` the caller carries it out. `running`: another process does, and is alive. */
type PlanClaim = 'go' | 'running' | 'ended' | 'gone';

/** Counts of a plan's progress, in addition to those that the rows' own moves make. */
export type PlanCounts = Partial<Record<'came' | 'underWay' | 'done' | 'before', number>>;

/** Held rows of another portfolio that wait for the same call, and so go on when it is answered. */
export type Elsewhere = { portfolio: string; rows: number; paused: boolean };

/** Says what becomes of held rows of other portfolios, a sentence for each portfolio: each is paused, or not, on its own. */
export function elsewhereWords(elsewhere: readonly Elsewhere[] = []): string[] {
  return elsewhere.map(({ portfolio, rows, paused }) => {
    const which = `${counted(rows, 'held row')} of portfolio ${portfolio}, which is ${paused ? '' : 'not '}paused,`;
    return `${which} ${rows === 1 ? 'goes' : 'go'} on by the same answer${paused ? ' once somebody resumes it' : ''}.`;
  });
}

/** Says that answers of success had come to the calls of so many rows; nothing for none. */
export function answeredWords(answered: number | undefined): string[] {
  if (!answered) return [];
  const calls = answered === 1 ? 'To the call of 1' : `To the calls of ${grouped(answered)}`;
  return [
    `${calls} of these rows the service answered with a status of success, so what it made is likely to be made twice.`,
  ];
}

/** A row to be sent again, by its file and amount, and another request of its buyer. A plan outlives its rows, so it names no buyer. */
export type OtherRequest = { row: RowId; line: number; importId: string; amount: string; other: BuyerRow };

/**
 * How many such rows there are, and the first of them; `isExact` is false if there may be more. If `isAlike`, the other requests are of
 * other buyers, which may be the same company.
 */
export type OtherRequests = { rows: number; isExact: boolean; first: OtherRequest[]; isAlike?: true };

/** {@link OtherRequests} as people and programs are told of them. `import`: such as `q4.csv #1`, if it is known. */
export type NamedOtherRequests = Omit<OtherRequests, 'first'> & {
  first: {
    row: string;
    line: number;
    import: string | undefined;
    name: string | undefined;
    requested_limit: string;
    other: { row: string; requested_limit: string; state: RowState; words: string };
  }[];
};

/** Lines that say for how many rows a second limit would be requested, and of the first ones beside which request. */
export function otherRequestsWords(
  { rows, isExact, first, isAlike }: NamedOtherRequests,
  advice = 'Give up first what is not meant.',
): string[] {
  const many = `${isExact ? '' : 'At least '}${counted(rows, 'row')} ${rows === 1 ? 'is of a buyer' : 'are of buyers'}`;
  const named = first.map(({ row, line, import: file, name, requested_limit, other }) => {
    const whose = name === undefined ? '' : `, ${name}`;
    return `- line ${line} of ${file ?? 'a file'}${whose}, ${moneyText(requested_limit)} (row ${row}), beside ${other.words}`;
  });
  const more = rows > first.length ? [`- ${counted(rows - first.length, 'more row', 'more rows')}`] : [];
  const said = isAlike
    ? `${many} that may be the same company as one with another request:`
    : `${many} with another request, so a second limit would be requested:`;
  return [said, ...named, ...more, advice];
}

export type Plans = ReturnType<typeof makePlans>;

/** Time for reading and confirming a plan. An older plan no longer describes the portfolio. */
const OPEN_FOR_MS = 15 * 60_000;

/** The result of a plan is kept for a week; rows keep their histories for longer. */
const KEPT_FOR_MS = 7 * DAY_MS;

/** A runner without a heartbeat for so long is gone. It sends one with each page of rows, and at least every second. */
const GONE_AFTER_MS = 10_000;

/** Planned actions on many rows, kept in Redis so that they survive a restart of the console. */
export function makePlans({ connection, keys }: LedgerPlace) {
  const hold = makeLuaScript(connection, new URL('../lua/hold-plan.lua', import.meta.url));

  return {
    /** The server's clock, in ms. */
    now: () => redisNowMs(connection),

    /** Keeps a plan under an id that nobody can guess, for as long as it may be confirmed. Changes nothing else. */
    async keep(draft: PlanDraft): Promise<Plan> {
      const expiresMs = draft.atMs + OPEN_FOR_MS;
      const plan: Plan = { ...draft, id: randomBytes(12).toString('base64url'), expiresMs };
      const key = keys.plan(plan.id);
      // Redis keeps the plan a minute longer than it may be confirmed, so that its standing is `expired` for a while.
      await connection
        .multi()
        .hset(key, { plan: JSON.stringify(plan), expires: expiresMs })
        .pexpire(key, OPEN_FOR_MS + 60_000)
        .exec();
      return plan;
    },

    /** A plan of this account and its progress; undefined if there is none of this id, or no longer. */
    async read(id: string): Promise<PlanState | undefined> {
      const [fields, now] = await Promise.all([connection.hgetall(keys.plan(id)), redisNowMs(connection)]);
      return fields.plan === undefined ? undefined : stateOf(fields, now);
    },

    /**
     * Claims the right to carry a plan out. One process at a time has it; another may continue a plan that was left half done.
     *
     * @param runner unique name of this attempt
     */
    async claim(id: string, runner: string, by: string): Promise<PlanClaim> {
      const claim = { runner, what: 'claim', goneAfterMs: GONE_AFTER_MS, keepMs: KEPT_FOR_MS, by };
      return (await hold({ plan: keys.plan(id) }, claim)) as PlanClaim;
    },

    /** Sends a heartbeat with the counts; answers false if another process has taken the plan over. */
    async note(id: string, runner: string, counts: PlanCounts = {}) {
      return (
        (await hold({ plan: keys.plan(id) }, { runner, what: 'goes on', counted: Object.entries(counts).flat() })) === 1
      );
    },

    /** Notes that the plan's rows wait for this approval. Answers false if another process has taken the plan over. */
    async waits(id: string, runner: string, approval: string) {
      return (await hold({ plan: keys.plan(id) }, { runner, what: 'goes on', counted: ['waits', approval] })) === 1;
    },

    /** Keeps answers to held rows, as text, for as long as they may be confirmed. */
    async keepAnswer(id: string, said: string): Promise<void> {
      await writeAnyway(connection, 'SET', keys.heldPlan(id), said, 'PX', OPEN_FOR_MS);
    },

    /** The kept answers; null if they were carried out already, or have expired. */
    answer: (id: string): Promise<string | null> => connection.get(keys.heldPlan(id)),

    /** Takes the answers for carrying them out: true for one caller only. */
    takeAnswer: async (id: string): Promise<boolean> => (await connection.del(keys.heldPlan(id))) === 1,

    /** Notes that the plan was carried out to its end. */
    async end(id: string, runner: string, counts: PlanCounts = {}) {
      await hold({ plan: keys.plan(id) }, { runner, what: 'ended', counted: Object.entries(counts).flat() });
    },
  };
}

function stateOf(fields: Record<string, string>, now: number): PlanState {
  const number = (field: string) => (fields[field] === undefined ? undefined : Number(fields[field]));
  const plan: Plan = JSON.parse(fields.plan ?? '');
  return {
    plan,
    standing: standingOf(plan, { ended: number('ended'), sign: number('sign') }, now),
    done: number('done') ?? 0,
    came: number('came') ?? 0,
    underWay: number('underWay') ?? 0,
    waits: fields.waits,
    before: number('before'),
    confirmedBy: fields.by,
    confirmedMs: number('confirmed'),
    endedMs: number('ended'),
  };
}

function standingOf(
  { expiresMs }: Plan,
  { ended, sign }: { ended: number | undefined; sign: number | undefined },
  now: number,
): PlanStanding {
  if (ended !== undefined) return 'ended';
  if (sign !== undefined) return sign > now - GONE_AFTER_MS ? 'running' : 'stopped';
  return expiresMs > now ? 'open' : 'expired';
}
