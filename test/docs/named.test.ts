import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Command } from 'commander';
import { beforeAll, expect, test } from 'vitest';
import { COMMANDS } from '../../scripts/command-list.ts';
import { makeTerminal } from '../../scripts/terminal/terminal.ts';
import { FORMAT } from '../../src/ledger-format.ts';
import { settingsSchema } from '../../src/settings-schema.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const within = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));

const PAGES = [...readdirSync(ROOT), ...within('docs'), ...within('test')].filter((name) => name.endsWith('.md'));
/** Other files with commands for operators. */
const OTHERS = ['examples/alerts.yml', ...readdirSync(ROOT).filter((name) => name.startsWith('docker-compose'))];

const program = new Command('limitline').option('--json').option('--version').option('--help');
beforeAll(async () => {
  const terminal = makeTerminal({ json: false });
  for (const { load } of Object.values(COMMANDS)) (await load()).register(program, terminal);
});

/** The faults of a command line on a page; `a|b` names several commands, and other words are arguments. */
function faultsOf(line: string): string[] {
  let at: Command[] = [program];
  const faults: string[] = [];
  for (const word of line.split(/[\s[\](),;]+/).filter(Boolean)) {
    const flags = word.match(/--[a-z][a-z-]*/g) ?? [];
    const options = [...at, program].flatMap((command) => command.options.map(({ long }) => long));
    for (const flag of flags) if (!options.includes(flag)) faults.push(`${line}: ${flag}`);
    if (flags.length > 0 || at.every((command) => command.commands.length === 0)) continue;
    const named = word
      .split('|')
      .map((name) => at.flatMap(({ commands }) => commands).find((one) => one.name() === name));
    const found = named.filter((command) => command !== undefined);
    if (found.length === named.length) at = found;
    else if (/^[a-z]/.test(word)) return [...faults, `${line}: ${word}`];
  }
  return faults;
}

/** The command lines of a text: in code marks, and at the beginning of lines. */
function commandLinesIn(text: string): string[] {
  const inMarks = [...text.matchAll(/`(?:npx )?limitline ([^`]+)`/g)].map(([, line = '']) => line);
  const asThere = [...text.matchAll(/^(?:npx )?limitline ((?:(?! #|[<>|&]).)+)/gm)].map(([, line = '']) => line);
  return [...inMarks, ...asThere].map((line) => line.replaceAll('\\|', '|').replace(/'[^']*'|"[^"]*"/g, 'NAME'));
}

test.each(['run FILE --nonsense', 'user rename NAME', 'pause|stop NAME', 'checks FILE'])(
  'the command line "%s" is recognised as wrong',
  (line) => {
    expect(faultsOf(line)).toHaveLength(1);
  },
);

test.each(PAGES)('each command and option on %s exists', (page) => {
  expect(commandLinesIn(read(page)).flatMap(faultsOf)).toEqual([]);
});

test.each(OTHERS)('each command and option in %s exists', (name) => {
  const lines = [
    ...read(name).matchAll(
      /(?:npx limitline|run --rm work|console limitline) ((?:(?!["),.;]|\.$| and | or | when | where ).)+)/gm,
    ),
  ];
  expect(lines.map(([, line = '']) => line).flatMap(faultsOf)).toEqual([]);
});

test.each(PAGES)('each npm script on %s exists', (page) => {
  const { scripts } = JSON.parse(read('package.json'));
  for (const [, name = ''] of read(page).matchAll(/npm run ([a-z:]+)/g)) expect(scripts).toHaveProperty([name]);
});

/** The anchors of the headings of a page, as GitHub makes them. */
function anchorsOf(page: string): Set<string> {
  const text = read(page).replace(/^```[\s\S]*?^```/gm, '');
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading.trim().toLowerCase());
  return new Set(headings.map((heading) => heading.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-')));
}

test.each(PAGES)('each link on %s leads to an existing file and heading', (page) => {
  const text = read(page).replace(/^```[\s\S]*?^```/gm, '');
  const dead = [...text.matchAll(/\]\((?!\w+:)([^)\s#]*)(?:#([^)\s]+))?\)/g)].filter(([, path = '', anchor]) => {
    const target = path === '' ? page : join(dirname(page), path);
    if (!existsSync(join(ROOT, target))) return true;
    return anchor !== undefined && !anchorsOf(target).has(anchor);
  });
  expect(dead.map(([link]) => link)).toEqual([]);
});

const SETTINGS = Object.keys(settingsSchema.shape);
/** A variable of the tests, and an example of a mistake. */
const NO_SETTINGS = ['LIMITLINE_SOURCE', 'SERVICE_RATE_PER_SECOND'];

test.each(PAGES)('each setting on %s exists', (page) => {
  const families = [...new Set(SETTINGS.map((name) => name.split('_')[0]))].join('|');
  const named = read(page).match(new RegExp(`\\b(?:${families})_[A-Z_]+[A-Z]\\b(?!=?…)`, 'g')) ?? [];
  const known = new Set([...SETTINGS, ...SETTINGS.map((name) => `${name}_FILE`), ...NO_SETTINGS]);
  const unknown = named.filter((name) => !known.has(name));
  expect([...new Set(unknown)]).toEqual([]);
});

test('the changelog begins with the version of package.json and the ledger format', () => {
  const { version } = JSON.parse(read('package.json'));
  expect(JSON.parse(read('package-lock.json')).version).toBe(version);
  const [first = ''] = /^## .*$/m.exec(read('CHANGELOG.md')) ?? [];
  expect(first).toMatch(
    new RegExp(`^## ${version.replaceAll('.', '\\.')} \\(.* 20\\d\\d\\), ledger format ${FORMAT}$`),
  );
});
