import type { Command } from 'commander';
import { type AnswerOptions, answerByCommand, withAnswerOptions } from '../approval/answer-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `limitline approve NAME --as USER`: a second person approves what waits. */
export function register(program: Command, terminal: Terminal): void {
  withAnswerOptions(program.command('approve').argument('<name>', 'the portfolio')).action(
    (name: string, options: AnswerOptions) =>
      answerByCommand(name, { ...options, answer: 'approve', words: '' }, terminal),
  );
}
