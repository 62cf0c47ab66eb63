import { type Command, InvalidArgumentError } from 'commander';
import { readInbox } from '../../jobs/inbox/read-inbox.ts';
import { inboxWords } from '../nightly/inbox-words.ts';
import { withContext } from '../opening/on-portfolio.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Enough for a night. */
const LATELY = 20;

/** `limitline inbox`: what lies in the drop folder, what was taken from it of late, and what became of that. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('inbox')
    .description('what lies in the drop folder, what was taken from it, and what became of it')
    .option('--last <n>', 'so many of the files that were taken', lastNumber, LATELY)
    .action(({ last }: { last: number }) =>
      withContext(async (context) => {
        const {
          nowMs: _now,
          more,
          isOnSchedule,
          folder = null,
          mapping = null,
          fault = null,
          ...facts
        } = await readInbox(context, last);
        const words = inboxWords({ ...facts, more, isOnSchedule, folder, mapping, fault });
        const lately = facts.lately.map(({ reading: _reading, folder: _folder, ...file }) => file);
        terminal.print(words, {
          account: context.account,
          folder,
          mapping,
          isOnSchedule,
          fault,
          lying: facts.lying,
          more,
          lately,
        });
      }),
    );
}

/** What is kept. */
const MOST = 10_000;

function lastNumber(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > MOST) throw new InvalidArgumentError(`Give a number from 1 to ${MOST}.`);
  return number;
}
