import { writeSync } from 'node:fs';

/** What is said by who has a terminal or a pipe for output that nobody reads any more: closed, or hung up. */
const GONE_CODES: ReadonlySet<string> = new Set(['EPIPE', 'EIO', 'ENXIO', 'ERR_STREAM_DESTROYED']);

/** Whether output failed since nobody reads it any more. That ends nothing: what is under way is worth more than its words. */
export function isOutputGone({ code = '' }: NodeJS.ErrnoException): boolean {
  return GONE_CODES.has(code);
}

/** A pipe that is full for now (`EAGAIN`) is read within moments. */
const FULL_PIPE_WAIT_MS = 20;

/**
 * Writes lines to a file descriptor; each has gone out when the call returns, so that the last ones of a process that ends
 * are there. A line that cannot be written, on a disk that is full say, is lost and nothing else: calls are in flight, and
 * the rows of those that are cut off are held. The next line is tried again, but where nobody reads any more. What was left
 * in the middle of a line is ended first, so that each further line stands on its own.
 */
export function makeLineWriter(fd: number, write: typeof writeBytes = writeBytes): (line: string) => void {
  let [isGone, isTorn] = [false, false];
  return (line) => {
    if (isGone) return;
    let rest = Buffer.from(isTorn ? `\n${line}` : line);
    const whole = rest.length;
    try {
      while (rest.length > 0) rest = rest.subarray(write(fd, rest));
      isTorn = false;
    } catch (error) {
      isGone = isOutputGone(error as NodeJS.ErrnoException);
      isTorn ||= rest.length < whole;
    }
  };
}

/** Writes as many bytes as there is room for, and waits for room in a pipe that somebody reads. */
function writeBytes(fd: number, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_WAIT_MS);
    return 0;
  }
}
