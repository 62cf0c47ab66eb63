import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { commandList } from './command-list.ts';
import { promisesTable } from './promises-table.ts';
import { settingsTable } from './settings-table.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** The pages with a part that is made from the code, and what makes it. */
export const MADE: Readonly<Record<string, () => string[] | Promise<string[]>>> = {
  'docs/settings.md': settingsTable,
  'docs/commands.md': commandList,
  'docs/promises.md': promisesTable,
};

/** A page as it is, and as it would be made now: what stands around the made part stays. */
export async function makePage(page: string): Promise<{ is: string; made: string }> {
  const is = readFileSync(join(ROOT, page), 'utf8');
  const part = (await MADE[page]?.())?.join('\n').trim() ?? '';
  const made = is.replace(
    /(<!-- made by npm run pages -->\n)[\s\S]*?(\n<!-- end -->)/,
    (_all, begin, end) => `${begin}\n${part}\n${end}`,
  );
  return { is, made };
}

export async function writePages(): Promise<void> {
  for (const page of Object.keys(MADE)) writeFileSync(join(ROOT, page), (await makePage(page)).made);
}
