import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Command, Help } from 'commander';
import { expect, test } from 'vitest';
import { answerCounts, beginCommand, commandNameOf } from '../../../scripts/audit/audit-command.ts';
import { COMMAND_KINDS, type Given } from '../../../scripts/audit/command-kinds.ts';
import { COMMANDS as LISTED } from '../../../scripts/command-list.ts';
import { makeTerminal } from '../../../scripts/terminal/terminal.ts';
import { callCommand } from '../../support/command.ts';
import { buyerLines, makeFolder } from '../../support/workplace.ts';

const COMMANDS = join(import.meta.dirname, '../../../scripts/commands');

/** The command line with all its commands. */
async function wholeProgram(): Promise<Command> {
  const program = new Command('limitline');
  const terminal = makeTerminal({ json: false });
  for (const file of readdirSync(COMMANDS)) {
    (await import(join(COMMANDS, file))).register(program, terminal);
  }
  return program;
}

/** The commands that can be called: the subcommands of a command that has some, or else the command itself. */
const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);

// Promise: every-change-audited
test('each command is listed in COMMAND_KINDS as changing something or not', async () => {
  const names = leavesOf(await wholeProgram()).map(commandNameOf);
  expect(names.length).toBeGreaterThan(15);
  const unsaid = names.filter((name) => !Object.hasOwn(COMMAND_KINDS, name));
  expect(unsaid, 'say it in scripts/audit/command-kinds.ts').toEqual([]);
});

test('the list of commands in the help has each command with its usage', async () => {
  const { commands } = await wholeProgram();
  const help = new Help();
  const listed = Object.entries(LISTED).map(([name, { usage }]) => `${name} ${usage}`.trim());
  expect(listed.sort()).toEqual(commands.map((one) => help.subcommandTerm(one)).sort());
});

test('a command that is missing from COMMAND_KINDS does not start', () => {
  const forgotten = new Command('limitline').command('forgotten');
  expect(() => beginCommand(forgotten)).toThrow('"forgotten" is not in scripts/audit/command-kinds.ts');
});

function auditOf(name: string, given: Partial<Given>) {
  const kind = COMMAND_KINDS[name];
  if (typeof kind !== 'object') throw new Error(`${name} changes nothing`);
  return kind.audit({ args: [], options: {}, ...given });
}

test('a dry run and a recovery without --apply leave no audit entry', () => {
  expect(auditOf('retry', { args: ['q4'], options: { dryRun: true, cause: 'k3f9' } })).toBeUndefined();
  expect(auditOf('resolve', { args: ['q4'], options: { dryRun: true } })).toBeUndefined();
  expect(auditOf('recover', { args: [['a.csv']], options: {} })).toBeUndefined();
});

test('audit facts have the options, file names without folders, and no free text', () => {
  expect(auditOf('retry', { args: ['q4'], options: { cause: 'k3f9', yes: true } })).toEqual({
    about: 'q4',
    facts: { cause: 'k3f9' },
  });
  expect(auditOf('retry', { args: ['q4'], options: { error: 'Muster GmbH' } })?.facts).toEqual({ error: '(a text)' });
  expect(
    auditOf('cancel', { args: ['q4'], options: { where: { states: ['queued'], text: 'Muster' } } })?.facts,
  ).toEqual({ where: { states: ['queued'], text: '(a text)' } });
  expect(auditOf('resolve', { args: ['q4'], options: { from: '/home/ann/made.csv' } })?.facts).toEqual({
    from: 'made.csv',
  });
  expect(auditOf('pause', { args: [undefined], options: { queue: 'companies' } })).toEqual({
    about: undefined,
    facts: { queue: 'companies' },
  });
});

test('audit facts have the counts of an answer, and no texts', () => {
  expect(answerCounts({ rows: 3, why: 'a name', of: ['a', 'b'], isPart: false, faults: [] })).toEqual({
    rows: 3,
    of: 2,
    isPart: false,
    faults: 0,
  });
  expect([2, ['a'], undefined, 'x'].map(answerCounts)).toEqual([{ status: 2 }, { count: 1 }, {}, {}]);
});

// Promise: every-change-audited
test('the audit trail has each command that changes something, with user and host, and no command that only reads', async () => {
  const cwd = await makeFolder();
  await writeFile(join(cwd, 'q4.csv'), `${buyerLines(3).join('\n')}\n`);
  const call = async (...args: string[]) => {
    const { status, stderr, stdout } = await callCommand([...args, '--json'], { cwd });
    expect([0, 2], stderr).toContain(status);
    return JSON.parse(stdout || '{}');
  };
  await call('import', 'q4.csv');
  await call('pause', 'q4');
  await call('check', 'q4.csv');
  await call('report', 'q4');
  await call('retry', 'q4', '--where', 'states=refused', '--dry-run');
  await call('cancel', 'q4', '--where', 'states=queued');
  await call('reconcile');
  const { entries } = await call('audit', 'list');
  const by = expect.stringMatching(/^command line \(.+\)$/);
  const from = `command line on ${hostname()}`;
  expect(entries).toMatchObject([
    {
      number: 1,
      by,
      from,
      what: 'file imported',
      about: 'q4',
      is: 'begun',
      facts: { command: 'import', file: 'q4.csv' },
    },
    { number: 2, is: 'done', of: 1, facts: { lines: 3, rows: 3, invalid: 0 } },
    { number: 3, by, what: 'line paused', about: 'q4', is: 'begun' },
    { number: 4, is: 'done', of: 3 },
    { number: 5, by, what: 'rows cancelled', about: 'q4', is: 'begun', facts: { where: { states: ['queued'] } } },
    { number: 6, is: 'done', of: 5, facts: { cancelled: 3 } },
    { number: 7, by, what: 'ledger reconciled', is: 'begun' },
    // One finding: the buyer whose only request was cancelled has no limit.
    { number: 8, is: 'done', facts: { count: 1 } },
  ]);
  const all = await call('audit', 'verify');
  expect(all).toMatchObject({ entries: 8, remembered: 8, broken: null });
});

test('the audit trail records a failed command, and nothing for a portfolio that does not exist', async () => {
  const cwd = await makeFolder();
  await writeFile(join(cwd, 'q4.csv'), `${buyerLines(1).join('\n')}\n`);
  await callCommand(['import', 'q4.csv'], { cwd });
  expect((await callCommand(['pause', 'nothing'], { cwd })).status).toBe(1);
  expect((await callCommand(['resolve', 'q4', '--line', '2', '--resend'], { cwd })).status).toBe(1);
  const { entries } = JSON.parse((await callCommand(['audit', 'list', '--json'], { cwd })).stdout);
  expect(entries.slice(2)).toMatchObject([
    { what: 'held calls resolved', about: 'q4', is: 'begun', facts: { line: 2, resend: true } },
    { what: 'held calls resolved', is: 'failed', of: 3, facts: { reason: expect.any(String) } },
  ]);
});

test('resolve asks before it acts on all held rows, and not for a single line', async () => {
  const kind = COMMAND_KINDS.resolve;
  if (typeof kind !== 'object') throw new Error('resolve changes nothing');
  expect(kind.asks?.({ args: ['q4'], options: { all: true, resend: true } })).toBe(true);
  expect(kind.asks?.({ args: ['q4'], options: { line: 2 } })).toBe(false);
});
