import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { IN_FILES } from '../../../src/config.ts';
import { STAND_IN_CREDENTIALS, settingsSchema } from '../../../src/settings-schema.ts';
import { commandList } from './command-list.ts';
import { promisesTable } from './promises-table.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** The pages with a generated part, and the functions that generate it. */
export const MADE: Readonly<Record<string, () => string[] | Promise<string[]>>> = {
  'docs/settings.md': settingsTable,
  'docs/commands.md': commandList,
  'docs/promises.md': promisesTable,
};

/** A page as it is, and as it would be generated now; everything around the generated part stays. */
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

const SOURCE = new URL('../../../src/settings-schema.ts', import.meta.url);

/** The table of docs/settings.md: each setting with its default and its comment in the schema. */
export function settingsTable(): string[] {
  const comments = commentsOf(readFileSync(SOURCE, 'utf8'));
  const rows = Object.entries(settingsSchema.shape).map(([name, schema]) => {
    const inFile = IN_FILES.includes(name) ? ` \`${name}_FILE\` names a file with it.` : '';
    return `| \`${name}\` | ${defaultOf(schema.safeParse(undefined).data)} | ${linked(comments.get(name) ?? '')}${inFile} |`;
  });
  return ['| Name | Default | Meaning |', '| --- | --- | --- |', ...rows];
}

/** The comment above each setting, on one line. */
function commentsOf(source: string): Map<string, string> {
  const found = source.matchAll(/^ {2}\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2}([A-Z_]+):/gm);
  return new Map(
    [...found].map(([, text = '', name = '']) => [
      name,
      text
        .replace(/\n\s*\*/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    ]),
  );
}

function defaultOf(value: unknown): string {
  const text = Array.isArray(value) ? value.join(' ') : String(value ?? '');
  if (text === STAND_IN_CREDENTIALS.clientId || text === STAND_IN_CREDENTIALS.clientSecret) return "the stand-in's";
  return text === '' ? 'none' : `\`${text}\``;
}

/** Turns `docs/people.md#approval` in a comment into a link from a page of the same folder. */
function linked(text: string): string {
  return text.replace(/docs\/([\w-]+\.md(?:#[\w-]+)?)/g, (path, target) => `[${path.replace(/#.*/, '')}](${target})`);
}
