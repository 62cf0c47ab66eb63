import { isHangUpIgnored } from './hang-up.ts';

/** What ends a command from outside; a terminal that is closed sends the last, often more than once. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type EndSignal = (typeof SIGNALS)[number];

/** The shell's way of telling that a signal ended a process: 128 and the number of SIGINT. */
const KILLED_STATUS = 130;

/**
 * One Ctrl-C reaches a process twice where npm or a shell passes it on, and `timeout` sends its signal to the group and to
 * the child: all within milliseconds. Who means it twice has read what the first one led to, which takes longer.
 */
const DELIBERATE_AFTER_MS = 2_000;

/** What a signal asks for: to end in good order, to end at once, or nothing that was not asked for before. */
export type SignalEffect = 'end' | 'end at once' | 'nothing new';

/**
 * Tells what each signal asks for. The first of all ends the command in good order. After that only SIGINT or SIGTERM does
 * something, where the same one came two seconds before or earlier: a terminal that goes sends several of several kinds, and
 * none of them is a person's word that calls in flight are to be cut off.
 */
export function makeSignalRule(): (name: EndSignal, atMs: number) => SignalEffect {
  const firstAtMs = new Map<EndSignal, number>();
  return (name, atMs) => {
    const first = firstAtMs.get(name);
    if (first === undefined) {
      firstAtMs.set(name, atMs);
      return firstAtMs.size === 1 ? 'end' : 'nothing new';
    }
    return name !== 'SIGHUP' && atMs - first >= DELIBERATE_AFTER_MS ? 'end at once' : 'nothing new';
  };
}

/**
 * Resolves at the first signal, so that the command can stop in good order; a deliberate second one ends the process at
 * once, see {@link makeSignalRule}. A SIGHUP that was ignored when the process started (`nohup`) stays so.
 * Whoever needs no more signals calls `forget`.
 */
export function waitForSignal(): { signal: Promise<EndSignal>; forget: () => void } {
  const effectOf = makeSignalRule();
  const hangUpIgnored = isHangUpIgnored();
  let resolveSignal: (name: EndSignal) => void;
  const signal = new Promise<EndSignal>((resolve) => {
    resolveSignal = resolve;
  });
  const onSignal = (name: NodeJS.Signals): void => {
    if (!isEndSignal(name) || (name === 'SIGHUP' && hangUpIgnored)) return;
    const effect = effectOf(name, performance.now());
    if (effect === 'end at once') process.exit(KILLED_STATUS);
    if (effect === 'end') resolveSignal(name);
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal,
    forget: () => {
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}

function isEndSignal(name: string): name is EndSignal {
  return SIGNALS.some((each) => each === name);
}
