import { isHangUpIgnored } from './hang-up.ts';

/** Signals that end a command. A closed terminal sends SIGHUP, often more than once. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type EndSignal = (typeof SIGNALS)[number];

/** The shell's exit status for SIGINT: 128 and the signal's number. */
const KILLED_STATUS = 130;

/**
 * One Ctrl-C may arrive twice within milliseconds: npm or a shell passes it on, and `timeout` signals both group and child. A
 * person who repeats it has read the first reaction, which takes longer.
 */
const DELIBERATE_AFTER_MS = 2_000;

/** What a signal asks for: to end properly, to end at once, or nothing. */
export type SignalEffect = 'end' | 'end at once' | 'nothing new';

/**
 * Makes the rule for signals. The first signal ends the command properly. After that, only a repeated SIGINT or SIGTERM counts,
 * two seconds later or more: a closing terminal sends several signals of several kinds, and none of them means that calls in
 * flight are to be cut off.
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
 * Resolves at the first signal, so that the command can end properly. A deliberate second one exits at once, see {@link
 * makeSignalRule}. Ignores SIGHUP under `nohup`. `forget` stops listening.
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
