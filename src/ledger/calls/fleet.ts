import { hostname } from 'node:os';
import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { RedisConnection } from '../../lua-script.ts';
import { writeAnyway } from '../../redis-memory/memory.ts';
import { HOUR_MS } from '../../time-units.ts';
import { readBuild } from '../../version.ts';
import type { ApprovalPolicy } from '../schema/approval.ts';
import { ledgerScript } from '../schema/gated-script.ts';
import type { Keys, LedgerPlace } from '../schema/keys.ts';
import { redisNowMs } from '../schema/redis-reads.ts';
import type { Dispute } from './attempts.ts';

/** Interval of heartbeats: an operator sees soon whether a button worked, and a killed process is missed soon. */
const SIGN_EVERY_MS = 1_000;

/**
 * Time without a heartbeat after which a process counts as vanished, and is no longer shown: five missed heartbeats and a margin. A busy
 * process stays in time, and a killed one is noticed within seconds.
 */
export const VANISHED_AFTER_MS = 6_000;

/** A nightly process without a heartbeat for so long is not on duty: it runs at low priority, so under load its heartbeats come later. */
export const OFF_DUTY_AFTER_MS = 20_000;

/** Time without a heartbeat after which the status of a process is deleted. */
const FORGOTTEN_AFTER_MS = HOUR_MS;

/** A quiet worker takes up no row; a drained one has also finished its rows. */
type WorkState = 'works' | 'quiet' | 'drained';
type Work = { state: WorkState; inHand: number };

/**
 * A long-running process. `version` includes its commit, if known. `url` is the address of a console. `asks` is the approval policy that
 * it serves by: null for a process that serves nobody, undefined for one of an earlier version.
 */
export type FleetProcess = Work & {
  id: string;
  role: string;
  version: string;
  host: string;
  pid: number;
  url?: string;
  asks?: ApprovalPolicy | null;
  agoMs: number;
};

/** A process that runs the nightly tasks, and the age of its last heartbeat. */
export type OnDuty = { process: string; host: string; agoMs: number };

/** The processes with a recent heartbeat, sorted by role. */
async function readFleet({ connection, keys }: LedgerPlace, goneAfterMs = VANISHED_AFTER_MS): Promise<FleetProcess[]> {
  const [nowMs, known] = await Promise.all([redisNowMs(connection), connection.hgetall(keys.fleet)]);
  const all = Object.entries(known).flatMap(([id, text]): FleetProcess[] => {
    const [, atMs, json] = /^(\d+) (\{.*)$/s.exec(text) ?? [];
    return json === undefined ? [] : [{ ...JSON.parse(json), id, agoMs: nowMs - Number(atMs) }];
  });
  // A heartbeat in the future was written before the clock was set back, so its process counts as gone.
  const gone = all.filter(({ agoMs }) => agoMs > FORGOTTEN_AFTER_MS || agoMs < -VANISHED_AFTER_MS).map(({ id }) => id);
  if (gone.length > 0) await forget({ connection, keys }, ...gone);
  return all
    .filter(({ id, agoMs }) => agoMs < goneAfterMs && !gone.includes(id))
    .sort((a, b) => a.role.localeCompare(b.role) || a.agoMs - b.agoMs);
}

function forget({ connection, keys }: LedgerPlace, ...ids: string[]): Promise<number> {
  return connection.hdel(keys.fleet, ...ids.flatMap((id) => [id, `${id} wish`]));
}

type FleetDeps = LedgerPlace & { processId: string; log: Log };

/** The long-running processes of an account: their status, and operators' instructions to them. */
export function makeFleet({ connection, keys, processId, log }: FleetDeps) {
  const say = ledgerScript(connection, 'fleet#say-process');
  const timers: NodeJS.Timeout[] = [];
  let serving: { asks: ApprovalPolicy; keep: () => Promise<unknown> } | undefined;
  return {
    /**
     * Sets the approval policy that heartbeats of this process name. Each heartbeat also calls `keep`, since another process may have
     * lifted the rule.
     */
    async serve(asks: ApprovalPolicy, keep: () => Promise<unknown>): Promise<void> {
      serving = { asks, keep };
    },

    /** Lists this process from now on. A worker reports its status with `now`, and `onInstruction` says whether to take up no new rows. */
    async join(
      role: string,
      work?: { now: () => Work; onInstruction: (isQuiet: boolean) => void },
      url?: string,
    ): Promise<void> {
      const asks = serving?.asks ?? null;
      const here = { role, url, asks, version: readBuild(), host: hostname(), pid: process.pid };
      const facts = { ...here, state: 'works', inHand: 0 };
      let heard: unknown = null;
      const sign = async () => {
        const says = JSON.stringify({ ...facts, ...work?.now() });
        const instruction = await say({ fleet: keys.fleet }, { process: processId, says });
        if (instruction !== heard) work?.onInstruction(instruction === 'quiet');
        heard = instruction;
        await serving?.keep();
      };
      const signOrWait = () =>
        sign().catch((error) => log.debug({ reason: messageOf(error) }, 'no sign for the fleet'));
      timers.push(setInterval(signOrWait, SIGN_EVERY_MS));
      await signOrWait();
    },

    /** Removes this process from the list, if Redis answers now. */
    async leave(): Promise<void> {
      for (const timer of timers) clearInterval(timer);
      if (connection.status === 'ready') await forget({ connection, keys }, processId).catch(() => {});
    },

    /** The processes with a recent heartbeat, sorted by role. */
    read: () => readFleet({ connection, keys }),

    /** The processes that run nightly tasks, the latest heartbeat first. If there is none, no task runs by itself. */
    async onDuty(): Promise<OnDuty[]> {
      const processes = await readFleet({ connection, keys }, OFF_DUTY_AFTER_MS);
      return processes
        .filter(({ role }) => role === 'nightly')
        .map(({ id, host, agoMs }) => ({ process: id, host, agoMs }));
    },

    /** Instructs a worker to take up no new rows, or to go on. False if there is no such process. */
    async instruct(id: string, instruction: 'quiet' | 'resume'): Promise<boolean> {
      if ((await connection.hexists(keys.fleet, id)) === 0) return false;
      await writeAnyway(connection, 'HSET', keys.fleet, `${id} wish`, instruction);
      return true;
    },
  };
}

/** Time without a heartbeat of any process after which Redis counts as away: half of the time after which a process counts as vanished. */
const ALL_SILENT_MS = 3_000;

export type Presence = Awaited<ReturnType<typeof startPresence>>;

/**
 * Sends heartbeats of this process to the ledger. A process without one for {@link VANISHED_AFTER_MS} counts as vanished; the outcome of
 * its claims is then in doubt.
 *
 * @param onDisputes called with claims of this process that others found to be too old
 */
export async function startPresence(asked: {
  connection: RedisConnection;
  keys: Keys;
  processId: string;
  onDisputes?: (disputes: Dispute[]) => void;
  log: Log;
}) {
  const { connection, keys, processId, onDisputes = () => {}, log } = asked;
  const alive = ledgerScript(connection, 'fleet#alive');
  const sign = async () => {
    const places = { workers: keys.workers, disputes: keys.disputes(processId) };
    const found = (await alive(places, { process: processId, silentMs: ALL_SILENT_MS })) as string[];
    if (found.length > 0) onDisputes(found.map(readDispute));
  };
  await sign();
  const timer = setInterval(() => {
    sign().catch((error) => log.debug({ reason: messageOf(error) }, 'no sign of life could be given'));
  }, SIGN_EVERY_MS);
  return {
    /** Removes the process from the list: its open claims count as vanished at once. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await connection.zrem(keys.workers, processId).catch(() => {});
    },
  };
}

/**
 * The number of worker processes with a recent heartbeat. If there is at least one, due calls are sent without further action. Their claims
 * count as theirs for longer ({@link livingWorkers}): the time of a silence of all processes is added to each heartbeat, a killed one's too.
 */
export async function countLiving(ledger: LedgerPlace): Promise<number> {
  return (await readFleet(ledger)).filter(({ role }) => role === 'work').length;
}

/** The worker processes whose claims count as theirs, the oldest heartbeat first. */
export async function livingWorkers({ connection, keys }: LedgerPlace) {
  const sinceMs = (await redisNowMs(connection)) - VANISHED_AFTER_MS;
  return connection.zrange(keys.workers, String(sinceMs), '+inf', 'BYSCORE');
}

/** Reads a dispute, `<kind> <owner> <key>`, as claim.lua writes it; the key may contain spaces. */
function readDispute(text: string): Dispute {
  const [kind = '', owner = '', ...key] = text.split(' ');
  return { kind, owner, key: key.join(' ') };
}
