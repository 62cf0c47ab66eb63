import type { Command } from 'commander';
import { addListen } from '../events/listen-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `limitline events`: what the service posted of itself. */
export function register(program: Command, terminal: Terminal): void {
  const events = program.command('events').description('what the service told by itself: taken, and kept as it came');
  addListen(events, terminal);
}
