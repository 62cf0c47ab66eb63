import { hostname } from 'node:os';
import type { Command } from 'commander';
import { commandLineActor } from '../../src/actor.ts';
import type { Audit } from '../../src/audit/audit.ts';
import { COMMAND_KINDS, type CommandKind, type Given, SENDING } from './command-kinds.ts';

type Facts = Readonly<Record<string, unknown>>;

type UnderWay = Given & { name: string; kind: CommandKind };

/** A process has one command; tests, which call several in one process, have one at a time. */
let underWay: UnderWay | undefined;

/**
 * Remembers which command begins, before it does anything.
 *
 * @param command as commander's hook `preAction` has it
 * @throws Error for one of which nobody says whether it changes anything: that is forgotten by who wrote it, not by who calls it
 */
export function beginCommand(command: Command): void {
  const name = commandNameOf(command);
  const kind = COMMAND_KINDS[name];
  if (kind === undefined)
    throw new Error(`"${name}" is not in scripts/audit/command-kinds.ts: say there what it changes.`);
  underWay = { name, kind, args: command.processedArgs, options: command.opts() };
}

/** `user add`: a command's name with those of the commands it belongs to, without the program's. */
export function commandNameOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${commandNameOf(parent)} ${command.name()}` : command.name();
}

/** From where a command comes, as the trail has it. */
export const commandLineFrom = (): string => `command line on ${hostname()}`;

/**
 * Does what the command that is under way is for, with entries in the audit trail before and behind it, if it changes anything.
 *
 * @param facts what came of it; by default the counts in the answer
 */
export async function auditCommand<T>(
  { audit }: { audit: Audit },
  act: () => Promise<T>,
  { about, facts = countsOf }: { about?: string; facts?: (answer: T) => Facts } = {},
): Promise<T> {
  const { kind, ...given } = needCommand();
  if (typeof kind === 'string') return act();
  const told = kind.audit(given);
  if (told === undefined) return act();
  const named = about ?? told.about;
  const note = {
    by: commandLineActor(),
    what: kind.what,
    from: commandLineFrom(),
    ...(named === undefined ? {} : { about: named }),
    ...(told.facts === undefined ? {} : { facts: told.facts }),
  };
  return audit.around(note, act, facts);
}

/** The same for a whole command, as it is where its context was opened; not for one that asks first, which does so at the yes. */
export function auditWholeCommand<T>(
  context: { audit: Audit },
  act: () => Promise<T>,
  audited: { facts?: (answer: T) => Facts } = {},
): Promise<T> {
  const { kind, ...given } = needCommand();
  if (typeof kind === 'object' && kind.asks?.(given)) return act();
  return auditCommand(context, act, audited);
}

/** Whether the command that is under way has rows sent, and is not only asked what it would do. */
export function isSending(): boolean {
  const { name, options } = needCommand();
  return SENDING.has(name) && options.dryRun !== true;
}

function needCommand(): UnderWay {
  if (!underWay) throw new Error('No command is under way: beginCommand was not called.');
  return underWay;
}

/** Of what a command answers, its counts: texts may be anybody's, and what there is of lists is how long they are. */
export function countsOf(answer: unknown): Facts {
  if (typeof answer === 'number') return { status: answer };
  if (Array.isArray(answer)) return { count: answer.length };
  if (typeof answer !== 'object' || answer === null) return {};
  const facts: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(answer)) {
    if (typeof value === 'number' || typeof value === 'boolean') facts[name] = value;
    else if (Array.isArray(value)) facts[name] = value.length;
  }
  return facts;
}
