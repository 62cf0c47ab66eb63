import { randomBytes } from 'node:crypto';
import { makeLuaScript } from '../../lua-script.ts';
import { writeAnyway } from '../../redis-memory/memory.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import { redisNowMs } from '../schema/redis-reads.ts';
import type { Plan, PlanClaim, PlanCounts, PlanDraft, PlanStanding, PlanState } from './plan.ts';

export type Plans = ReturnType<typeof makePlans>;

/** Time for reading and confirming a plan. An older plan no longer describes the portfolio. */
const OPEN_FOR_MS = 15 * 60_000;

/** The result of a plan is kept for a week; rows keep their histories for longer. */
const KEPT_FOR_MS = 7 * 24 * 3_600_000;

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
