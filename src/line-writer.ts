import { writeSync } from 'node:fs';

/** Error codes for output that nobody reads any more: a closed pipe or terminal. */
const GONE_CODES: ReadonlySet<string> = new Set(['EPIPE', 'EIO', 'ENXIO', 'ERR_STREAM_DESTROYED']);

/** Whether output failed because nobody reads it any more. The process goes on: its work matters more than its output. */
export function isOutputGone({ code = '' }: NodeJS.ErrnoException): boolean {
  return GONE_CODES.has(code);
}

/** The wait before a line is written to a full pipe again (`EAGAIN`). Its reader is usually that fast. */
const FULL_PIPE_WAIT_MS = 20;

/**
 * Writes lines to a file descriptor. Each line has left when the call returns, so the last lines of an ending process arrive. A line that
 * cannot be written, such as on a full disk, is lost, but the process goes on, since stopping it would hold rows with calls in flight. The
 * next line is tried again, unless nobody reads any more. A partly written line is ended first, so that the next line stands alone.
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

/** Writes as many bytes as possible, and waits for room in a full pipe. */
function writeBytes(fd: number, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_WAIT_MS);
    return 0;
  }
}
