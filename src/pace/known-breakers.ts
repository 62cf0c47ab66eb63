import { CALL_KINDS, type CallKind } from '../call-kind.ts';
import type { Log } from '../log.ts';
import { describeTripped, type Tripped } from './breaker-words.ts';
import { readNamedFields } from './named-fields.ts';

export type KnownBreakers = ReturnType<typeof makeKnownBreakers>;

/** Time in ms for which a state of the breakers counts as fresh after it was read. Processes that make calls get a new one more often. */
const FRESH_MS = 1_000;

/**
 * The breakers as this process knows them from the scripts' answers (lua/breaker-state.lua). Logs when a breaker is tripped or reset.
 *
 * @param onLearned called after each answer
 */
export function makeKnownBreakers({ log, onLearned }: { log: Log; onLearned: () => void }) {
  let tripped: readonly Tripped[] = [];
  let learnedAtMs = Number.NEGATIVE_INFINITY;

  const isTripped = (kind: CallKind): boolean => tripped.some((breaker) => breaker.kind === kind);

  const sayTripped = (): void => {
    const [first] = tripped;
    if (first) log.warn({ why: first.why }, `calls wait: ${describeTripped(tripped)}`);
  };

  return {
    isTripped,
    tripped: (): readonly Tripped[] => tripped,
    sayTripped,
    isFresh: (): boolean => performance.now() - learnedAtMs <= FRESH_MS,

    /** Reads a script's answer, and returns the kind that this process shall probe. */
    learn(reply: unknown): CallKind | undefined {
      const answer = readNamedFields(reply);
      const before = tripped;
      const untilMs = Date.now() + answer.number('dueUs') / 1_000;
      const isTried = answer.flag('isTried');
      tripped = CALL_KINDS.filter((kind) => answer.has(`shut:${kind}`)).map((kind) => {
        return { kind, why: answer.text(`shut:${kind}`), untilMs, isTried };
      });
      learnedAtMs = performance.now();
      const opened = before.filter(({ kind }) => !isTripped(kind));
      for (const { kind } of opened) log.info({ kind }, 'calls of this kind go on');
      if (tripped.some(({ kind }) => !before.some((breaker) => breaker.kind === kind))) sayTripped();
      onLearned();
      return CALL_KINDS.find((kind) => kind === answer.text('try'));
    },
  };
}
