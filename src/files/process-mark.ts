import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { startOf } from './process-start.ts';

/** The parts of {@link markOfProcess} within a pattern: the process' number, where it ran, and when it started. */
export const MARK_PATTERN = String.raw`(\d+)-([0-9a-f]{8})-([0-9a-f]{8})`;

/** What this process puts into the names of what it means to remove again, so that another can tell when it was killed. */
export function markOfProcess(): string {
  own ??= `${process.pid}-${placeHere()}-${startDigest(process.pid)}`;
  return own;
}

/**
 * Whether what bears this mark was left behind: by a process that is gone, or, where processes of that place cannot be
 * seen from here or the mark is missing, a day ago.
 *
 * @param mark what `MARK_PATTERN` found
 */
export function isLeftBehind(mark: readonly (string | undefined)[], mtimeMs: number): boolean {
  const [pid = '', place, start] = mark;
  return place === placeHere() ? start !== startDigest(Number(pid)) : Date.now() - mtimeMs > FORSAKEN_MS;
}

/** What was not touched for a day belongs to nobody. */
const FORSAKEN_MS = 86_400_000;

let own: string | undefined;

/** Where a process' number means that process: a boot of a machine, and there a container. */
function placeHere(): string {
  try {
    return digest(readFileSync('/proc/sys/kernel/random/boot_id', 'latin1') + readlinkSync('/proc/self/ns/pid'));
  } catch {
    return digest(hostname());
  }
}

function startDigest(pid: number): string {
  return digest(startOf(pid) ?? '');
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
