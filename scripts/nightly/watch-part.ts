import { startWatching, watchOnce } from '../../jobs/notices/watch.ts';
import type { Context } from '../../src/context.ts';

/** Looks for what people are to be told. */
export const WATCH = {
  name: 'the look for notices',
  start: startWatching,
  once: (context: Context, { signal }: { signal: AbortSignal }) => watchOnce(context, { log: context.log, signal }),
};
