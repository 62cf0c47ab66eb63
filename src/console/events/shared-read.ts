import { onceAtATime } from '../../once-at-a-time.ts';

/** What was read, what went wrong with it, or that it takes too long. */
export type Found<T> = { value: T } | { error: unknown } | { late: true };

/**
 * Reads for all who ask at the same time together: one read at a time is under way, also when it hangs, and nobody waits
 * longer for it than the limit. Never throws.
 */
export function makeSharedRead<T>(read: () => Promise<T>, limitMs: number): () => Promise<Found<T>> {
  const readOnce = onceAtATime(() =>
    read()
      .then((value): Found<T> => ({ value }))
      .catch((error): Found<T> => ({ error })),
  );
  return async () => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Found<T>>((resolve) => {
      timer = setTimeout(() => resolve({ late: true }), limitMs);
    });
    const found = await Promise.race([readOnce(), late]);
    clearTimeout(timer);
    return found;
  };
}
