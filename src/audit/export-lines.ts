import { exportLine } from './entry.ts';
import type { TrailReader } from './read-trail.ts';

/**
 * The whole trail as NDJSON, the oldest entry first, in pages. Each line is an entry's exact text with its link, so that it can be checked
 * without Redis.
 *
 * @param counts is updated with the number of entries
 */
export async function* exportLines(
  reader: TrailReader,
  counts: { entries: number } = { entries: 0 },
): AsyncGenerator<string> {
  for await (const page of reader.pages()) {
    counts.entries += page.length;
    yield page.map((entry) => `${exportLine(entry)}\n`).join('');
  }
}
