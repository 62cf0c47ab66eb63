import { isHangUpIgnored } from './hang-up.ts';

/** The signals that stop a command. A terminal that closes sends the last one, often more than once. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type EndSignal = (typeof SIGNALS)[number];

/** The exit status that shells use for a process ended by a signal: 128 and the number of SIGINT. */
const KILLED_STATUS = 130;

/**
 * One Ctrl-C may arrive twice: npm or a shell passes it on, and `timeout` signals the group and the child. Both arrive within milliseconds.
 * A person who presses Ctrl-C again on purpose has first read what the command wrote, which takes longer.
 */
const DELIBERATE_AFTER_MS = 2_000;

/** The effect of a signal: end the command gracefully, end it at once, or nothing. */
export type SignalEffect = 'end' | 'end at once' | 'nothing new';

/**
 * Decides the effect of each signal. The first signal ends the command gracefully. After that, only a SIGINT or SIGTERM has an effect, and
 * only if the same signal came at least two seconds before. A closing terminal sends several signals of several kinds; they must not abort
 * calls in flight.
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
 * Resolves at the first signal, so that the command can end gracefully. A deliberate second signal ends the process at once, see
 * {@link makeSignalRule}. A SIGHUP that was ignored at the start (`nohup`) stays ignored. Call `forget` when signals are no longer needed.
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
