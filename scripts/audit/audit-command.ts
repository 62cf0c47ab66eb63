import { hostname } from 'node:os';
import type { Command } from 'commander';
import { commandLineActor } from '../../src/actor.ts';
import type { Audit } from '../../src/audit/audit.ts';
import { COMMAND_KINDS, type CommandKind, type Given, SENDING } from './command-kinds.ts';

type Facts = Readonly<Record<string, unknown>>;

type UnderWay = Given & { name: string; kind: CommandKind };

/** The command that this process runs. Tests run several in one process, one at a time. */
let underWay: UnderWay | undefined;

/**
 * Remembers the command that begins, before it does anything.
 *
 * @param command from commander's hook `preAction`
 * @throws Error for a command that is missing in COMMAND_KINDS, which is the mistake of its author
 */
export function beginCommand(command: Command): void {
  const name = commandNameOf(command);
  const kind = COMMAND_KINDS[name];
  if (kind === undefined)
    throw new Error(`"${name}" is not in scripts/audit/command-kinds.ts: say there what it changes.`);
  underWay = { name, kind, args: command.processedArgs, options: command.opts() };
}

/** A command's full name without the program's: `user add`. */
export function commandNameOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${commandNameOf(parent)} ${command.name()}` : command.name();
}

/** The origin of a command, for the audit trail. */
export const commandLineFrom = (): string => `command line on ${hostname()}`;

/**
 * Acts for the current command, with audit entries before and after if it changes anything.
 *
 * @param facts the result for the audit; by default the counts in the answer
 */
export async function auditCommand<T>(
  { audit }: { audit: Audit },
  act: () => Promise<T>,
  { about, facts = answerCounts }: { about?: string; facts?: (answer: T) => Facts } = {},
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

/** Audits a whole command. A command that asks first is left out: it calls {@link auditCommand} after the yes. */
export function auditWholeCommand<T>(
  context: { audit: Audit },
  act: () => Promise<T>,
  audited: { facts?: (answer: T) => Facts } = {},
): Promise<T> {
  const { kind, ...given } = needCommand();
  if (typeof kind === 'object' && kind.asks?.(given)) return act();
  return auditCommand(context, act, audited);
}

/** Whether the current command sends rows, and is no dry run. */
export function isSending(): boolean {
  const { name, options } = needCommand();
  return SENDING.has(name) && options.dryRun !== true;
}

function needCommand(): UnderWay {
  if (!underWay) throw new Error('No command is under way: beginCommand was not called.');
  return underWay;
}

type Waiting = { approval: string } | undefined;

/** The approval for which an action waits, as a fact for the audit: nothing was sent before it. */
export const waitsFact = (waits: Waiting): Facts => (waits ? { waits: waits.approval } : {});

/**
 * The counts in a command's answer: numbers, and lengths of lists; of an approval that it waits for, the id. Other texts are left out,
 * because they may be personal data.
 */
export function answerCounts(answer: unknown): Facts {
  if (typeof answer === 'number') return { status: answer };
  if (Array.isArray(answer)) return { count: answer.length };
  if (typeof answer !== 'object' || answer === null) return {};
  const facts: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(answer)) {
    if (typeof value === 'number' || typeof value === 'boolean') facts[name] = value;
    else if (Array.isArray(value)) facts[name] = value.length;
    else if (name === 'waits') Object.assign(facts, waitsFact(value as Waiting));
  }
  return facts;
}
