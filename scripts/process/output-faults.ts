import { fileFault } from '../../src/files/file-fault.ts';
import { isOutputGone } from '../../src/line-writer.ts';
import { type FaultOutput, sayFault } from './crash.ts';
import { FAULT_STATUS } from './exit-status.ts';

/** What it is called in a sentence. */
export const STANDARD_OUTPUT = 'standard output';

/**
 * Lets a process live on when what it says cannot be written: calls may be in flight, and the rows of those that are cut off
 * are held. `limitline run … | head` closes our output early, and so does a terminal that is gone, which is no fault; an answer
 * that a full disk does not take is one, which is said when the command has ended as it would.
 */
export function surviveOutput(terminal: FaultOutput): void {
  let fault: NodeJS.ErrnoException | undefined;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (!isOutputGone(error)) fault ??= error;
  });
  process.stderr.on('error', () => {});
  process.on('exit', () => {
    // A command that ended by a fault has said it.
    if (!fault || process.exitCode === FAULT_STATUS) return;
    process.exitCode = FAULT_STATUS;
    sayFault(fileFault(STANDARD_OUTPUT, 'written', fault), terminal);
  });
}
