import { hostname } from 'node:os';
import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../keys.ts';

/** Nothing waits for these signs but people's eyes, so they may be rare. */
const SIGN_EVERY_MS = 5_000;

/** Four missed signs: a machine under load is not taken for one that is gone. */
export const OFF_DUTY_AFTER_MS = 20_000;

/** A process that runs what is due, and how long ago it gave its last sign. */
export type OnDuty = { process: string; host: string; agoMs: number };

/** Tells the ledger that this process runs what is due, until it is stopped. The server's clock counts. */
export async function startDuty({
  connection,
  keys,
  processId,
  log,
}: {
  connection: RedisConnection;
  keys: Keys;
  processId: string;
  log: Log;
}): Promise<{ stop: () => Promise<void> }> {
  const say = makeLuaScript(connection, new URL('../lua/on-duty.lua', import.meta.url));
  const member = `${processId}@${hostname()}`;
  const sign = () => say([keys.onDuty], [member]);
  await sign();
  const timer = setInterval(() => {
    sign().catch((error) => log.debug({ reason: messageOf(error) }, 'no sign of being on duty could be given'));
  }, SIGN_EVERY_MS);
  return {
    async stop(): Promise<void> {
      clearInterval(timer);
      await connection.zrem(keys.onDuty, member).catch(() => {});
    },
  };
}

/** Who runs what is due, the latest sign first; nobody where none gave one lately, and then nothing runs by itself. */
export async function whoIsOnDuty({
  connection,
  keys,
}: {
  connection: RedisConnection;
  keys: Keys;
}): Promise<OnDuty[]> {
  const [seconds, microseconds] = await connection.time();
  const nowMs = Number(seconds) * 1_000 + Number(microseconds) / 1_000;
  const found = await connection.zrange(
    keys.onDuty,
    String(nowMs - OFF_DUTY_AFTER_MS),
    String(nowMs),
    'BYSCORE',
    'WITHSCORES',
  );
  const present: OnDuty[] = [];
  for (let place = 0; place < found.length; place += 2) {
    const [process = '', host = ''] = (found[place] ?? '').split('@');
    present.unshift({ process, host, agoMs: Math.max(0, Math.round(nowMs - Number(found[place + 1]))) });
  }
  return present;
}
