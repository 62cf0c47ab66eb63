import { hostname } from 'node:os';
import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import { writeAnyway } from '../../redis-memory/memory.ts';
import { readBuild } from '../../version.ts';
import type { Keys } from '../schema/keys.ts';
import type { Dispute } from './attempts.ts';

/** An operator who presses a button looks whether it has worked; and how soon a killed process is missed. */
const SIGN_EVERY_MS = 1_000;

/** Five missed signs and a margin: a busy process is still shown. */
const GONE_AFTER_MS = 6_000;

/** The night runs at low priority: on a machine under load it is not taken for one that is gone. */
export const OFF_DUTY_AFTER_MS = 20_000;

/** What a killed process said of itself is of no use to anybody then. */
const FORGOTTEN_AFTER_MS = 3_600_000;

/** A worker that is quiet takes up no row, and one that is drained has finished all that it had. */
type WorkState = 'works' | 'quiet' | 'drained';
type Work = { state: WorkState; inHand: number };

/** A process that runs for long; `version` has its commit, where that is known. */
export type FleetProcess = Work & {
  id: string;
  role: string;
  version: string;
  host: string;
  pid: number;
  agoMs: number;
};

/** A process that runs what is due at night, and how long ago it gave its last sign. */
export type OnDuty = { process: string; host: string; agoMs: number };

/** The processes of an account that run for long: which there are, what each does, and what an operator has told it to do. */
export function makeFleet(given: { connection: RedisConnection; keys: Keys; processId: string; log: Log }) {
  const { connection, keys, processId, log } = given;
  const say = makeLuaScript(connection, new URL('../lua/say-process.lua', import.meta.url));
  const timers: NodeJS.Timeout[] = [];
  const forget = (...ids: string[]) => connection.hdel(keys.fleet, ...ids.flatMap((id) => [id, `${id} wish`]));

  const read = async (goneAfterMs = GONE_AFTER_MS): Promise<FleetProcess[]> => {
    const [[seconds, microseconds], known] = await Promise.all([connection.time(), connection.hgetall(keys.fleet)]);
    const nowMs = Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
    const all = Object.entries(known).flatMap(([id, text]): FleetProcess[] => {
      const [, atMs, json] = /^(\d+) (\{.*)$/s.exec(text) ?? [];
      return json === undefined ? [] : [{ ...JSON.parse(json), id, agoMs: nowMs - Number(atMs) }];
    });
    // A sign from the future is older than it says: a clock went back since.
    const gone = all.filter(({ agoMs }) => agoMs > FORGOTTEN_AFTER_MS || agoMs < -GONE_AFTER_MS).map(({ id }) => id);
    if (gone.length > 0) await forget(...gone);
    return all
      .filter(({ id, agoMs }) => agoMs < goneAfterMs && !gone.includes(id))
      .sort((a, b) => a.role.localeCompare(b.role) || a.agoMs - b.agoMs);
  };

  return {
    /**
     * This process is seen from now on. One that works says what it does `now`, and hears each new instruction: whether it is to take up
     * nothing new.
     */
    async join(role: string, work?: { now: () => Work; onInstruction: (isQuiet: boolean) => void }): Promise<void> {
      const facts = { role, version: readBuild(), host: hostname(), pid: process.pid, state: 'works', inHand: 0 };
      let heard: unknown = null;
      const sign = async () => {
        const says = JSON.stringify({ ...facts, ...work?.now() });
        const instruction = await say({ fleet: keys.fleet }, { process: processId, says });
        if (instruction !== heard) work?.onInstruction(instruction === 'quiet');
        heard = instruction;
      };
      const signOrWait = () =>
        sign().catch((error) => log.debug({ reason: messageOf(error) }, 'no sign for the fleet'));
      timers.push(setInterval(signOrWait, SIGN_EVERY_MS));
      await signOrWait();
    },

    /** This process is seen no more, at once where Redis answers. */
    async leave(): Promise<void> {
      for (const timer of timers) clearInterval(timer);
      if (connection.status === 'ready') await forget(processId).catch(() => {});
    },

    /** The processes that gave a sign of life lately, by what they do. */
    read,

    /** Who runs what is due, the latest sign first; nobody where none gave one lately, and then nothing runs by itself. */
    async onDuty(): Promise<OnDuty[]> {
      const processes = await read(OFF_DUTY_AFTER_MS);
      return processes
        .filter(({ role }) => role === 'nightly')
        .map(({ id, host, agoMs }) => ({ process: id, host, agoMs }));
    },

    /** Tells a worker to take up nothing new, or to go on. False where there is no such process. */
    async instruct(id: string, instruction: 'quiet' | 'resume'): Promise<boolean> {
      if ((await connection.hexists(keys.fleet, id)) === 0) return false;
      await writeAnyway(connection, 'HSET', keys.fleet, `${id} wish`, instruction);
      return true;
    },
  };
}

/** Five missed signs and a margin: a busy process is not taken for a dead one, and a killed one is found in seconds. */
export const VANISHED_AFTER_MS = 6_000;
/** So long without a sign of any process, it was Redis that was away: half of what makes a process count as vanished. */
const ALL_SILENT_MS = 3_000;

export type Presence = Awaited<ReturnType<typeof startPresence>>;

/**
 * Tells the ledger that this process lives, as long as it does. A claim whose process gave no sign for
 * {@link VANISHED_AFTER_MS} counts as one that was sent by somebody who vanished.
 *
 * @param onDisputes hears of claims of this process that others found too old
 */
export async function startPresence({
  connection,
  keys,
  processId,
  onDisputes = () => {},
  log,
}: {
  connection: RedisConnection;
  keys: Keys;
  processId: string;
  onDisputes?: (disputes: Dispute[]) => void;
  log: Log;
}) {
  const alive = makeLuaScript(connection, new URL('../lua/alive.lua', import.meta.url));
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
    /** Takes the process off the list: what it still claims counts as vanished at once. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await connection.zrem(keys.workers, processId).catch(() => {});
    },
  };
}

/** How many worker processes gave a sign of life lately: whether what is to be sent will be, without anybody doing more. */
export async function countLiving(ledger: { connection: RedisConnection; keys: Keys }): Promise<number> {
  return (await livingWorkers(ledger)).length;
}

/** The worker processes that gave a sign of life lately, the oldest sign first. */
export async function livingWorkers({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const [seconds, microseconds] = await connection.time();
  const nowMs = Number(seconds) * 1_000 + Number(microseconds) / 1_000;
  return connection.zrange(keys.workers, String(nowMs - VANISHED_AFTER_MS), '+inf', 'BYSCORE');
}

/** `<kind> <owner> <key>`, as claim.lua writes it; the key may have spaces. */
function readDispute(text: string): Dispute {
  const [kind = '', owner = '', ...key] = text.split(' ');
  return { kind, owner, key: key.join(' ') };
}
