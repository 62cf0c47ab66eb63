import { Command, type Option } from 'commander';
import { COMMANDS, exitStatusOf, fullNameOf } from '../../../scripts/command-list.ts';
import { makeTerminal } from '../../../scripts/terminal/terminal.ts';

/** Options that at least so many commands describe alike are those of reading a file: they stand once. */
const SHARED_BY = 4;

/** The list of docs/commands.md: each command with its subcommands, arguments, options and how it ends, as `--help` has them. */
export async function commandList(): Promise<string[]> {
  const program = new Command('limitline');
  const terminal = makeTerminal({ json: false });
  for (const { load } of Object.values(COMMANDS)) (await load()).register(program, terminal);
  const all = program.commands.flatMap(withSubcommands);
  const counts = new Map<string, number>();
  for (const { options } of all) {
    for (const option of shown(options)) counts.set(rowOf(option), (counts.get(rowOf(option)) ?? 0) + 1);
  }
  const isShared = (option: Option) => (counts.get(rowOf(option)) ?? 0) >= SHARED_BY;
  const shared = new Set(all.flatMap(({ options }) => shown(options).filter(isShared).map(rowOf)));
  return [
    ...all.flatMap((command) => sectionOf(command, isShared)),
    '### How a file is read',
    '',
    `These options are the same for ${all
      .filter(({ options }) => options.some(isShared))
      .map((one) => `\`${fullNameOf(one)}\``)
      .join(', ')}.`,
    '',
    ...tableOf([...shared]),
  ];
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

function sectionOf(command: Command, isShared: (option: Option) => boolean): string[] {
  const own = shown(command.options).filter((option) => !isShared(option));
  const reads = command.options.some(isShared) ? ' It takes the [options of reading](#how-a-file-is-read) too.' : '';
  const usage = `limitline ${fullNameOf(command)} ${usageOf(command)}`.trimEnd();
  const described = command.registeredArguments.filter(({ description }) => description !== '');
  return [
    `### ${fullNameOf(command)}`,
    '',
    `\`${usage}\`: ${command.description()}. Exit status: ${exitStatusOf(command)}.${reads}`,
    '',
    ...tableOf([...described.map((one) => `| \`<${one.name()}>\` | ${cell(one.description)} |`), ...own.map(rowOf)]),
  ];
}

function usageOf(command: Command): string {
  return command.registeredArguments
    .map((one) => `${one.name()}${one.variadic ? '...' : ''}`)
    .map((name, at) => (command.registeredArguments[at]?.required ? `<${name}>` : `[${name}]`))
    .join(' ');
}

function shown(options: readonly Option[]): Option[] {
  return options.filter(({ hidden }) => !hidden);
}

function rowOf({ flags, description, argChoices, defaultValue, negate }: Option): string {
  const choices = argChoices ? ` (${argChoices.map((one) => `\`${one}\``).join(', ')})` : '';
  const standard =
    defaultValue === undefined || negate || defaultValue === true ? '' : ` (default: \`${defaultValue}\`)`;
  return `| \`${flags}\` | ${cell(description)}${choices}${standard} |`;
}

function tableOf(rows: readonly string[]): string[] {
  return rows.length === 0 ? [] : ['| Option | Does |', '| --- | --- |', ...rows, ''];
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
