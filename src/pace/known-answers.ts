import type { CallKind } from '../call-kind.ts';
import type { LuaScript } from '../lua-script.ts';
import { microsecondsSince } from './microseconds.ts';

/** Answers are told together. */
const TELL_EVERY_MS = 250;

type Latest = { answeredAtMs: number; token: string; sentAtMs: number };

/**
 * Gathers the answers by which the outcome of a call is known, and tells Redis of the latest of each kind now and then:
 * lua/known-answers.lua.
 *
 * @param onTold is told what the script answered
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
    /** @param made where the call made something, the token and when it was sent */
    add(kind: CallKind, made: { token: string; sentAtMs: number } | undefined): void {
      const before = latest.get(kind) ?? { token: '', sentAtMs: 0 };
      latest.set(kind, { ...before, ...made, answeredAtMs: performance.now() });
    },

    /** Tells of all of them at once, by a call that was a probe or by none. */
    tell,

    /** Tells of all of them soon. */
    tellSoon(): void {
      telling ??= setTimeout(() => tell().catch(() => {}), TELL_EVERY_MS).unref();
    },
  };
}
