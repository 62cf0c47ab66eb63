/** Replaces jobs/workers/keeping.ts: a simulated process keeps no files. */
export function startKeepingResults() {
  return { stop: async (): Promise<void> => {} };
}
