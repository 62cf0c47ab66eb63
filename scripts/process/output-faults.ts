import { fileFault } from '../../src/files/file-fault.ts';
import { isOutputGone } from '../../src/line-writer.ts';
import { type FaultOutput, sayFault } from './crash.ts';
import { FAULT_STATUS } from './exit-status.ts';

/** The name of standard output in a sentence. */
export const STANDARD_OUTPUT = 'standard output';

/**
 * Keeps a process alive when its output cannot be written: calls in flight would be cut off, and their rows held. A reader that
 * closes early (`limitline run … | head`) or a closed terminal is no fault. A full disk is one, reported when the command has
 * ended.
 */
export function surviveOutput(terminal: FaultOutput): void {
  let fault: NodeJS.ErrnoException | undefined;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (!isOutputGone(error)) fault ??= error;
  });
  process.stderr.on('error', () => {});
  process.on('exit', () => {
    // A command that failed has reported its fault already.
    if (!fault || process.exitCode === FAULT_STATUS) return;
    process.exitCode = FAULT_STATUS;
    sayFault(fileFault(STANDARD_OUTPUT, 'written', fault), terminal);
  });
}
