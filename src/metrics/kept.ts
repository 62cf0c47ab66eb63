/** Makes a function that answers a recent result, or calls `look` when that is older: once for any number of callers. Errors are not kept. */
export function makeKept<Found>(look: () => Promise<Found>, keptMs: number): () => Promise<Found> {
  let kept: { found: Promise<Found>; atMs: number } | undefined;
  return () => {
    if (kept && performance.now() - kept.atMs < keptMs) return kept.found;
    const looking = { found: look(), atMs: performance.now() };
    looking.found.catch(() => {
      if (kept === looking) kept = undefined;
    });
    kept = looking;
    return looking.found;
  };
}

/** Rejects if `work` takes longer than so many ms. */
export async function inTime<Found>(work: Promise<Found>, limitMs: number): Promise<Found> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
