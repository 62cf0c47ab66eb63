import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { startOf } from './process-start.ts';

/** The parts of {@link markOfProcess} as a pattern: process id, digest of where it runs, digest of its start. */
export const MARK_PATTERN = String.raw`(\d+)-([0-9a-f]{8})-([0-9a-f]{8})`;

/** A mark of this process for temporary file names. By it, other processes see whether this one was killed. */
export function markOfProcess(): string {
  own ??= `${process.pid}-${placeHere()}-${startDigest(process.pid)}`;
  return own;
}

/**
 * Whether a marked file was left behind: its process is gone. If that process runs on another host or container, or the
 * mark is missing: the file is older than a day.
 *
 * @param mark the groups that `MARK_PATTERN` matched
 */
export function isLeftBehind(mark: readonly (string | undefined)[], mtimeMs: number): boolean {
  const [pid = '', place, start] = mark;
  return place === placeHere() ? start !== startDigest(Number(pid)) : Date.now() - mtimeMs > FORSAKEN_MS;
}

/** A file that nobody touched for a day counts as abandoned. */
const FORSAKEN_MS = 86_400_000;

let own: string | undefined;

/** Where process ids are unique: one boot of a machine, and within it one container. */
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
