/**
 * Makes a function that answers what was found lately, and looks again when that is older: however many ask, one looks. What
 * it rejects with is kept by nobody.
 */
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

/** Rejects after so many ms where there is no answer by then. */
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
