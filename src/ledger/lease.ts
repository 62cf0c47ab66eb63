import { makeLuaScript, type RedisConnection } from '../lua-script.ts';

/** A process that gave no sign for so long has vanished. It gives four of them in this time. */
const HELD_MS = 8_000;
const SIGN_EVERY_MS = 2_000;

/** A right that one process at a time has, such as to take portfolios of the account out of Redis or to put them back. */
export type Lease = { release(): Promise<void> };

/**
 * Asks for a right; nothing where another has it. Who has it says so every two seconds until it is released; one whose process
 * dies is another's some seconds later. A process that stood still for longer may find that another goes on: what it does has to
 * be harmless then, and not this.
 *
 * @param key the string in Redis that says who has it
 * @param holder names this process, or this attempt of it, and no other
 */
export async function takeLease({
  connection,
  key,
  holder,
}: {
  connection: RedisConnection;
  key: string;
  holder: string;
}): Promise<Lease | undefined> {
  const hold = makeLuaScript(connection, new URL('./lua/hold-inbox.lua', import.meta.url));
  const say = async (ms: number) => (await hold([key], [holder, ms])) === 1;
  if (!(await say(HELD_MS))) return undefined;
  const timer = setInterval(() => void say(HELD_MS).catch(() => {}), SIGN_EVERY_MS);
  timer.unref();
  return {
    async release() {
      clearInterval(timer);
      // Where Redis is away, it ends by itself.
      await say(0).catch(() => {});
    },
  };
}
