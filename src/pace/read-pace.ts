import { makeLuaScript, type RedisConnection } from '../lua-script.ts';
import { type PaceState, readPhase, type ToldWindow } from './pace-words.ts';

/**
 * Returns a function that reads the pace of an account, for those who make no calls; it answers undefined before the first call. It registers its script before the first command: ioredis fails as a whole if a script
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

/** A script's arguments as name, value, name, value … for lua/arguments.lua. */
export function namedArgs(args: Readonly<Record<string, string | number>>): (string | number)[] {
  const list: (string | number)[] = [];
  for (const [name, value] of Object.entries(args)) list.push(name, value);
  return list;
}

/**
 * Reads a script's answer: name, value, name, value … The caller picks the type of each field.
 *
 * @throws TypeError if the answer is no such list, or lacks a requested field
 */
export function readNamedFields(reply: unknown) {
  if (!Array.isArray(reply)) throw new TypeError('A script in Redis did not answer with a list of fields.');
  const fields = new Map<unknown, unknown>();
  for (let at = 0; at < reply.length; at += 2) fields.set(reply[at], reply[at + 1]);
  const field = (name: string): unknown => {
    if (!fields.has(name)) throw new TypeError(`The answer of a script in Redis lacks the field ${name}.`);
    return fields.get(name);
  };
  return {
    isEmpty: fields.size === 0,
    has: (name: string): boolean => fields.has(name),
    text: (name: string): string => String(field(name)),
    /** A field as a number. Scripts answer fractions as text, since Redis truncates their numbers to integers. */
    number: (name: string): number => Number(field(name)),
    flag: (name: string): boolean => Number(field(name)) === 1,
  };
}
