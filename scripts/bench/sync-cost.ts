import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { spreadOf } from './figures.ts';

/**
 * How long the disk of this folder takes to keep some bytes for good, in ms: the median of many. A Redis that answers
 * nothing before it is on the disk (`appendfsync always`) waits that long for each bundle of commands.
 */
export async function measureSyncMs(folder: string): Promise<number> {
  await using file = await open(join(folder, 'sync-cost'), 'a');
  const durationsMs: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    await file.appendFile(BYTES);
    const startedAt = performance.now();
    await file.datasync();
    durationsMs.push(performance.now() - startedAt);
  }
  return spreadOf(durationsMs).median;
}

/** Half a second on a slow disk, and enough for a median. */
const TURNS = 50;

/** About what a bundle of commands is. */
const BYTES = Buffer.alloc(4_096, 'x');
