import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { heldRemedy } from '../src/held-remedy.ts';
import { openDesk } from './support/desk.ts';

test('the commands that the report proposes for held rows work: a file is written, filled in and applied', async () => {
  const { cwd, limitline, json, read } = await openDesk(2, {
    rules: [{ on: 'limit', fault: 'reset', made: false, times: 2 }],
  });
  await limitline('run', 'q4.csv');
  const { stdout } = await limitline('report', 'q4', '--causes');
  const [report = [], resolve = []] = commandsOf(stdout);
  const file = join(cwd, 'held.csv');
  const inFolder = (args: string[]) => args.map((arg) => (arg === 'held.csv' ? file : arg));
  expect(await limitline(...inFolder(report))).toMatchObject({ status: 0 });
  const [header = '', ...rows] = (await read('held.csv')).trimEnd().split('\n');
  expect(header).toMatch(/,id$/);
  const filled = rows.map((row) => row.split(',').with(-1, 'resend').join(','));
  await writeFile(file, `${[header, ...filled].join('\n')}\n`);
  expect(await limitline(...inFolder(resolve))).toMatchObject({ status: 0 });
  expect((await json('report', 'q4')).states).toMatchObject({ held: 0, queued: 2 });
});

test('every limitline resolve command in a message has all its needed options', () => {
  const root = join(import.meta.dirname, '..');
  const named = ['src', 'jobs', 'scripts'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => readFileSync(join(root, folder, name), 'utf8').split('\n')),
  );
  const whole = /limitline resolve (\$\{.+?\}|"\$\{.+?\}"|NAME) (\$\{option\}|--(line|row|from|all)\b)/;
  const broken = named.filter((line) => /limitline resolve(?!d)/.test(line) && !whole.test(line));
  // The command's own docstring, and the beginning to which the page of a row adds its two answers.
  expect(broken.filter((line) => !line.startsWith('/** '))).toEqual([]);
  expect(heldRemedy('q4')).toContain('resolve "q4" --from held.csv');
});

/** The commands in a text, as arguments. */
function commandsOf(text: string): string[][] {
  return [...text.matchAll(/npx limitline ([^;\n]+)/g)].map(([, line = '']) => line.replaceAll('"', '').split(' '));
}
