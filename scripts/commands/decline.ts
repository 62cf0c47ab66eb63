import type { Command } from 'commander';
import { LimitlineError } from '../../src/errors.ts';
import { type AnswerOptions, answerByCommand, withAnswerOptions } from '../approval/answer-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The most characters of a reason: a sentence or two for the person who asked. */
const LONGEST = 400;

/** `limitline decline NAME --as USER --because TEXT`: a second person declines what waits. */
export function register(program: Command, terminal: Terminal): void {
  withAnswerOptions(program.command('decline').argument('<name>', 'the portfolio'))
    .requiredOption('--because <text>', 'why not: whoever asked for it reads it')
    .action((name: string, { because, ...options }: AnswerOptions & { because: string }) => {
      const words = because.trim();
      if (words === '' || words.length > LONGEST) {
        throw new LimitlineError('USAGE', `Say why not, in up to ${LONGEST} characters: --because TEXT.`);
      }
      return answerByCommand(name, { ...options, answer: 'decline', words }, terminal);
    });
}
