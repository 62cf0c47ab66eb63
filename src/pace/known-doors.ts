import { CALL_KINDS, type CallKind } from '../call-kind.ts';
import type { Log } from '../log.ts';
import { describeShut, type Shut } from './door-words.ts';
import { readNamedFields } from './named-fields.ts';

export type KnownDoors = ReturnType<typeof makeKnownDoors>;

/** What is known of the doors is believed for so long; a process that calls is told of them more often. */
const FRESH_MS = 1_000;

/**
 * The doors as this process knows them, from what the scripts answer (lua/door-state.lua). Says in the log when one is
 * shut or opened.
 *
 * @param onLearned is called with each answer
 */
export function makeKnownDoors({ log, onLearned }: { log: Log; onLearned: () => void }) {
  let shut: readonly Shut[] = [];
  let learnedAtMs = Number.NEGATIVE_INFINITY;

  const isShut = (kind: CallKind): boolean => shut.some((door) => door.kind === kind);

  const sayShut = (): void => {
    const [first] = shut;
    if (first) log.warn({ why: first.why }, `calls wait: ${describeShut(shut)}`);
  };

  return {
    isShut,
    shut: (): readonly Shut[] => shut,
    sayShut,
    isFresh: (): boolean => performance.now() - learnedAtMs <= FRESH_MS,

    /** Takes in what a script answered, and says which kind this process shall try. */
    learn(reply: unknown): CallKind | undefined {
      const answer = readNamedFields(reply);
      const before = shut;
      const untilMs = Date.now() + answer.number('dueUs') / 1_000;
      const isTried = answer.flag('isTried');
      shut = CALL_KINDS.filter((kind) => answer.has(`shut:${kind}`)).map((kind) => {
        return { kind, why: answer.text(`shut:${kind}`), untilMs, isTried };
      });
      learnedAtMs = performance.now();
      const opened = before.filter(({ kind }) => !isShut(kind));
      for (const { kind } of opened) log.info({ kind }, 'calls of this kind go on');
      if (shut.some(({ kind }) => !before.some((door) => door.kind === kind))) sayShut();
      onLearned();
      return CALL_KINDS.find((kind) => kind === answer.text('try'));
    },
  };
}
