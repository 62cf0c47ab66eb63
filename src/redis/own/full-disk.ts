import { statfsSync } from 'node:fs';

/** Less than a Redis writes in a moment under load: with less on the disk, that is why it died. */
const LEAST_FREE_BYTES = 256 * 1024;

/** Says that the disk of a folder is full, and what to do; nothing where it is not, or cannot be looked at. */
export function whyNoRoom(path: string): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize < LEAST_FREE_BYTES ? `the disk of ${path} is full; make room` : undefined;
  } catch {
    return undefined;
  }
}
