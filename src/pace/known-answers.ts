import type { CallKind } from '../call-kind.ts';
import type { LuaScript } from '../lua-script.ts';
import { microsecondsSince } from './microseconds.ts';

/** Interval in ms at which the gathered responses are reported to Redis together. */
const TELL_EVERY_MS = 250;

type Latest = { answeredAtMs: number; token: string; sentAtMs: number };

/**
 * Gathers responses with a known outcome, and reports the latest of each kind to Redis now and then (lua/known-answers.lua).
 *
 * @param onTold called with the script's answer
 */
export function makeKnownAnswers({
  tellKnown,
  key,
  onTold,
}: {
  tellKnown: LuaScript;
  key: string;
  onTold: (reply: unknown) => void;
}) {
  const latest = new Map<CallKind, Latest>();
  let telling: NodeJS.Timeout | undefined;

  const tell = async (probe?: { name: string; kind: CallKind }): Promise<void> => {
    clearTimeout(telling);
    telling = undefined;
    const args = [...latest].flatMap(([kind, { answeredAtMs, token, sentAtMs }]) => {
      return [kind, microsecondsSince(answeredAtMs), token, microsecondsSince(sentAtMs)];
    });
    latest.clear();
    if (args.length === 0) return;
    onTold(await tellKnown([key], [probe?.name ?? '', probe?.kind ?? '', ...args]));
  };

  return {
    /** Adds a response with a known outcome. @param made if the call made something: the token and the time of the send */
    add(kind: CallKind, made: { token: string; sentAtMs: number } | undefined): void {
      const before = latest.get(kind) ?? { token: '', sentAtMs: 0 };
      latest.set(kind, { ...before, ...made, answeredAtMs: performance.now() });
    },

    /** Reports the gathered responses now. `probe`: the probe to which one of these responses belongs, if any does. */
    tell,

    /** Reports the gathered responses soon, together with others. */
    tellSoon(): void {
      telling ??= setTimeout(() => tell().catch(() => {}), TELL_EVERY_MS).unref();
    },
  };
}
