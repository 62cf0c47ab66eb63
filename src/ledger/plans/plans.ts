import { randomBytes } from 'node:crypto';
import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import { writeAnyway } from '../../redis-memory/write-anyway.ts';
import type { Keys } from '../schema/keys.ts';
import type { Plan, PlanClaim, PlanCounts, PlanDraft, PlanStanding, PlanState } from './plan.ts';

export type Plans = ReturnType<typeof makePlans>;

/** A person reads a plan and decides; what is older says little of the portfolio as it is. */
const OPEN_FOR_MS = 15 * 60_000;

/** What became of a plan is shown for a week; the rows' own stories are kept with them. */
const KEPT_FOR_MS = 7 * 24 * 3_600_000;

/** Whoever carries a plan out gives a sign with each page of rows, and at least every second. */
const GONE_AFTER_MS = 10_000;

/** What somebody plans to do with many rows, kept in Redis: a console that was started anew still knows of it. */
export function makePlans({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const hold = makeLuaScript(connection, new URL('../lua/hold-plan.lua', import.meta.url));

  return {
    /** The server's clock, in ms. */
    now: () => nowMs(connection),

    /** Keeps a plan under a name that nobody can guess, for as long as it may be confirmed. Nothing else is changed. */
    async keep(draft: PlanDraft): Promise<Plan> {
      const expiresMs = draft.atMs + OPEN_FOR_MS;
      const plan: Plan = { ...draft, id: randomBytes(12).toString('base64url'), expiresMs };
      const key = keys.plan(plan.id);
      // A minute longer, so that it can still be said that it has expired.
      await connection
        .multi()
        .hset(key, { plan: JSON.stringify(plan), expires: expiresMs })
        .pexpire(key, OPEN_FOR_MS + 60_000)
        .exec();
      return plan;
    },

    /** A plan of this account and what became of it; nothing where there is none of this name, or none any more. */
    async read(id: string): Promise<PlanState | undefined> {
      const [fields, now] = await Promise.all([connection.hgetall(keys.plan(id)), nowMs(connection)]);
      return fields.plan === undefined ? undefined : stateOf(fields, now);
    },

    /**
     * Asks for the right to carry it out. One process at a time has it; who comes by a plan that was left half done goes on.
     *
     * @param runner names this attempt, and no other of any process
     */
    async claim(id: string, runner: string, by: string): Promise<PlanClaim> {
      const claim = { runner, what: 'claim', goneAfterMs: GONE_AFTER_MS, keepMs: KEPT_FOR_MS, by };
      return (await hold({ plan: keys.plan(id) }, claim)) as PlanClaim;
    },

    /** Says that it goes on, and what was counted; answers false where another goes on with it by now. */
    async note(id: string, runner: string, counts: PlanCounts = {}) {
      return (
        (await hold({ plan: keys.plan(id) }, { runner, what: 'goes on', counted: Object.entries(counts).flat() })) === 1
      );
    },

    /** Its rows wait for another person, under this approval. Answers false where another goes on with it by now. */
    async waits(id: string, runner: string, approval: string) {
      return (await hold({ plan: keys.plan(id) }, { runner, what: 'goes on', counted: ['waits', approval] })) === 1;
    },

    /** Keeps what somebody says of held rows, as text, for as long as it may be confirmed. */
    async keepAnswer(id: string, said: string): Promise<void> {
      await writeAnyway(connection, 'SET', keys.heldPlan(id), said, 'PX', OPEN_FOR_MS);
    },

    /** What was said; null where it was carried out already, or is too old. */
    answer: (id: string): Promise<string | null> => connection.get(keys.heldPlan(id)),

    /** Whether it was there to be carried out: of all who ask one is told so. */
    takeAnswer: async (id: string): Promise<boolean> => (await connection.del(keys.heldPlan(id))) === 1,

    /** It was carried out to its end. */
    async end(id: string, runner: string, counts: PlanCounts = {}) {
      await hold({ plan: keys.plan(id) }, { runner, what: 'ended', counted: Object.entries(counts).flat() });
    },
  };
}

async function nowMs(connection: RedisConnection): Promise<number> {
  const [seconds = 0, microseconds = 0] = (await connection.time()).map(Number);
  return seconds * 1_000 + Math.floor(microseconds / 1_000);
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
