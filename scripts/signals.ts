/** What ends a command from outside; a terminal that is closed sends the last. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The shell's way of telling that a signal ended a process: 128 and the number of SIGINT. */
const KILLED_STATUS = 130;

/**
 * Resolves at the first signal, so that the command can stop in good order; a second one ends the process at once.
 * Whoever needs no more signals calls `forget`.
 */
export function waitForSignal(): { signal: Promise<string>; forget: () => void } {
  let resolveSignal: (name: string) => void;
  const signal = new Promise<string>((resolve) => {
    resolveSignal = resolve;
  });
  let count = 0;
  const onSignal = (name: NodeJS.Signals): void => {
    count += 1;
    if (count > 1) process.exit(KILLED_STATUS);
    resolveSignal(name);
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal,
    forget: () => {
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}
