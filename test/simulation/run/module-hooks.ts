import { registerHooks } from 'node:module';

/** Modules of the product that reach out of the process, and their doubles. */
const DOUBLES: readonly [ending: string, double: URL][] = [
  ['/src/redis/open-redis.ts', new URL('../doubles/redis-connection.ts', import.meta.url)],
  ['/src/lua-script.ts', new URL('../doubles/lua-script.ts', import.meta.url)],
  ['/src/service/outlet.ts', new URL('../doubles/outlet.ts', import.meta.url)],
  ['/jobs/workers/keeping.ts', new URL('../doubles/keeping.ts', import.meta.url)],
  ['/src/files/last-link.ts', new URL('../doubles/last-link.ts', import.meta.url)],
  ['/src/version.ts', new URL('../doubles/version.ts', import.meta.url)],
];
const BULLMQ = new URL('../doubles/bullmq.ts', import.meta.url).href;
const ROOT = new URL('../../../', import.meta.url).href;

/** A changed text of a module of the product, to see that the fault is found. */
export type SourceChange = { file: string; change: (text: string) => string };

/** From now on, the product is loaded with its doubles. Call it before any part of the product is loaded. */
export function loadWithDoubles(changes: readonly SourceChange[] = []): void {
  registerHooks({
    resolve(specifier, context, next) {
      const isProduct = context.parentURL?.startsWith(`${ROOT}src/`) || context.parentURL?.startsWith(`${ROOT}jobs/`);
      if (!isProduct) return next(specifier, context);
      if (specifier === 'bullmq') return { url: BULLMQ, format: 'module-typescript', shortCircuit: true };
      const found = next(specifier, context);
      const double = DOUBLES.find(([ending]) => found.url.endsWith(ending));
      return double ? { ...found, url: double[1].href, shortCircuit: true } : found;
    },
    load(url, context, next) {
      const loaded = next(url, context);
      const own = changes.filter(({ file }) => url === ROOT + file);
      if (own.length === 0) return loaded;
      return { ...loaded, source: own.reduce((text, { change }) => change(text), String(loaded.source)) };
    },
  });
}

const CODE = 'ERR_STREAM_PREMATURE_CLOSE';

/** A simulated process that ends leaves streams half read; this process must continue. */
export function forgiveHalfReadStreams(): void {
  process.on('unhandledRejection', (error: NodeJS.ErrnoException) => {
    if (error?.code !== CODE) throw error;
  });
  process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
    if (error?.code === CODE) return;
    console.error(error);
    process.exit(1);
  });
}
