import { type Argument, Command, type Option } from 'commander';
import { commandNameOf } from '../../../scripts/audit/audit-command.ts';
import { COMMANDS, exitStatusOf, registerNamed } from '../../../scripts/command-list.ts';
import { makeTerminal } from '../../../scripts/terminal/terminal.ts';

/** The command that has exactly the options of reading a file. */
const READING = 'mapping keep';

/** The list of docs/commands.md: each command with its subcommands, arguments, options and exit status. */
export async function commandList(): Promise<string[]> {
  const program = new Command('limitline');
  await registerNamed(Object.keys(COMMANDS), program, makeTerminal({ json: false }));
  const all = program.commands.flatMap(withSubcommands);
  const shared = all
    .filter((one) => commandNameOf(one) === READING)
    .flatMap(({ options }) => shown(options).map(rowOf));
  const readsFiles = ({ options }: Command) => shared.every((row) => shown(options).map(rowOf).includes(row));
  const readers = all.filter(readsFiles);
  return [
    ...all.flatMap((command) => sectionOf(command, readsFiles(command) ? shared : [])),
    '### How a file is read',
    '',
    `These options are the same for ${readers.map((one) => `\`${commandNameOf(one)}\``).join(', ')}.`,
    '',
    ...tableOf(shared),
  ];
}

const withSubcommands = (command: Command): Command[] => [command, ...command.commands.flatMap(withSubcommands)];

function sectionOf(command: Command, shared: readonly string[]): string[] {
  const own = shown(command.options)
    .map(rowOf)
    .filter((row) => !shared.includes(row));
  const reads = shared.length > 0 ? ' It takes the [options of reading](#how-a-file-is-read) too.' : '';
  const usage = `limitline ${commandNameOf(command)} ${usageOf(command)}`.trimEnd();
  const described = command.registeredArguments.filter(({ description }) => description !== '').map(argumentRow);
  return [
    `### ${commandNameOf(command)}`,
    '',
    `\`${usage}\`: ${command.description()}. Exit status: ${exitStatusOf(command)}.${reads}`,
    '',
    ...tableOf([...described, ...own]),
  ];
}

function usageOf(command: Command): string {
  return command.registeredArguments
    .map((one) => `${one.name()}${one.variadic ? '...' : ''}`)
    .map((name, at) => (command.registeredArguments[at]?.required ? `<${name}>` : `[${name}]`))
    .join(' ');
}

const shown = (options: readonly Option[]): Option[] => options.filter(({ hidden }) => !hidden);

function argumentRow(argument: Argument): string {
  return `| \`<${argument.name()}>\` | ${cell(argument.description)}${choicesOf(argument)} |`;
}

function choicesOf({ argChoices }: Pick<Option, 'argChoices'>): string {
  return argChoices ? ` (${argChoices.map((one) => `\`${one}\``).join(', ')})` : '';
}

function rowOf(option: Option): string {
  const { flags, description, defaultValue, negate } = option;
  const standard =
    defaultValue === undefined || negate || defaultValue === true ? '' : ` (default: \`${defaultValue}\`)`;
  return `| \`${flags}\` | ${cell(description)}${choicesOf(option)}${standard} |`;
}

function tableOf(rows: readonly string[]): string[] {
  return rows.length === 0 ? [] : ['| Option | Does |', '| --- | --- |', ...rows, ''];
}

const cell = (text: string): string => text.replaceAll('|', '\\|');
