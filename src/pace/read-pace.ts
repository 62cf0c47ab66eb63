import { makeLuaScript, type RedisConnection } from '../lua-script.ts';
import { readNamedFields } from './named-fields.ts';
import { type PaceState, readPhase, type ToldWindow } from './pace-state.ts';

/** The pace of an account in Redis, for commands that make no calls; undefined before the first call. */
export function readPace(connection: RedisConnection, key: string): Promise<PaceState | undefined> {
  return makePaceReader(connection, key)();
}

/**
 * Returns a function that reads the pace repeatedly. It registers its script before the first command: ioredis fails as a whole if a script
 * is registered while it gathers commands.
 */
export function makePaceReader(connection: RedisConnection, key: string): () => Promise<PaceState | undefined> {
  const look = makeLuaScript(connection, new URL('./lua/look.lua', import.meta.url));
  return async () => readState(await look([key], []));
}

function readState(found: unknown): PaceState | undefined {
  const answer = readNamedFields(found);
  if (answer.isEmpty) return undefined;
  const [waitUs, windowUs] = [answer.number('waitUs'), answer.number('windowUs')];
  return {
    phase: readPhase(answer.text('phase')),
    ratePerS: answer.number('ratePerS'),
    flowPerS: answer.number('flowPerS'),
    isLimiting: answer.flag('limits'),
    // The ceiling is another process's setting, unknown here.
    atCeiling: false,
    blocked:
      waitUs > 0
        ? { why: answer.text('why'), because: answer.text('because'), untilMs: Date.now() + waitUs / 1_000 }
        : undefined,
    accepted: answer.number('accepted'),
    statedPerS: answer.number('statedPerS'),
    tellsWindows: answer.flag('tellsWindows'),
    window: windowUs > 0 ? readWindow(answer, Date.now() + windowUs / 1_000) : undefined,
  };
}

function readWindow({ number }: ReturnType<typeof readNamedFields>, endsMs: number): ToldWindow {
  const [calls, left, lengthUs] = [number('windowCalls'), number('windowLeft'), number('windowLengthUs')];
  return { calls, left, lengthMs: lengthUs / 1_000, endsMs };
}
