import type { Command } from 'commander';
import { askedSessionsWords, askSessions } from '../../jobs/operators/ask-sessions.ts';
import { commandLineActor } from '../../src/actor.ts';
import { LimitlineError } from '../../src/errors.ts';
import { onPortfolio } from '../opening/on-portfolio.ts';
import { lineNumber } from '../options/durations.ts';
import { PROBLEMS_STATUS } from '../process/exit-status.ts';
import { goingOn, type Terminal } from '../terminal/terminal.ts';

/** `limitline sessions NAME`: asks for hosted sessions. The links are in the results and on the rows' pages, and never printed. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('sessions')
    .argument('<name>', 'the portfolio')
    .option('--line <n>', 'only for the row of this line', lineNumber)
    .option('--row <id>', 'only for the row with this id (column "row" of the results)')
    .option(
      '--resend',
      'ask for a new session although there is a link, or nobody knows what became of the last; needs --line or --row',
    )
    .action(async (name: string, { line, row, resend = false }: { line?: number; row?: string; resend?: boolean }) => {
      const isOne = line !== undefined || row !== undefined;
      if (line !== undefined && row !== undefined) {
        throw new LimitlineError('USAGE', 'Name the row by --line N or by --row ID, not by both.');
      }
      if (resend && !isOne)
        throw new LimitlineError('USAGE', 'A new session is for one row: give --line N or --row ID.');
      await onPortfolio(name, async (context) => {
        const by = commandLineActor();
        const answer = await askSessions({ portfolio: name, line, row }, { by, anew: resend }, context);
        const { goes, workers } = await goingOn(
          answer.asked,
          name,
          context,
          'The calls for sessions go after all limits',
        );
        const words = askedSessionsWords(answer);
        terminal.print(answer.asked > 0 ? `Portfolio ${name}: ${words} ${goes}` : `Portfolio ${name}: ${words}`, {
          portfolio: name,
          ...answer,
          workers,
        });
        const { asked, waits, made } = answer;
        if (isOne && asked + waits + made === 0) process.exitCode = PROBLEMS_STATUS;
        return answer;
      });
    });
}
