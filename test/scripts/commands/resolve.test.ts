import { Command } from 'commander';
import { expect, test } from 'vitest';
import { register } from '../../../scripts/commands/resolve.ts';

/** Runs the command in this process, up to the fault that ends it before it opens anything. */
function resolve(args: string[]): Promise<unknown> {
  const nothing = () => {};
  const terminal = {
    json: false,
    hasPrinted: () => false,
    print: nothing,
    answer: nothing,
    room: async () => {},
    say: nothing,
    sayTo: nothing,
    log: () => undefined,
  };
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  register(program, terminal);
  for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => {} });
  return program.parseAsync(['resolve', 'q4', ...args], { from: 'user' });
}

test.each([
  [['--resend'], /--line N.*--all.*--from/],
  [['--made', 'bl_1'], /--line N/],
  [['--line', '3'], /--made ID, or --resend/],
  [['--line', '3', '--made', 'bl_1', '--resend'], /--made ID, or --resend/],
  [['--line', '3', '--all', '--resend'], /--line N/],
  [['--all', '--made', 'bl_1'], /cannot all have the same id: give --line N/],
  [['--all'], /--all goes with --resend alone/],
  [['--all', '--made', 'bl_1', '--resend'], /cannot all have the same id/],
  [['--from', 'held.csv', '--resend'], /leave --made, --resend and --step out/],
  [['--from', 'held.csv', '--line', '3'], /--line N/],
  [['--line', 'three', '--resend'], /three/],
  [['--all', '--resend', '--step', 'token'], /token/],
])('resolve %j is refused, and the fault says what to give instead', async (args, said) => {
  await expect(resolve(args)).rejects.toThrow(said);
});
