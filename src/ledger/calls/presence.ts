import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../schema/keys.ts';
import type { Dispute } from './attempts.ts';

/** Five missed signs and a margin: a busy process is not taken for a dead one, and a killed one is found in seconds. */
export const VANISHED_AFTER_MS = 6_000;
const SIGN_EVERY_MS = 1_000;
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
