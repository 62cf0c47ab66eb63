import { readFileSync } from 'node:fs';
import { IN_FILES } from '../../../src/config.ts';
import { STAND_IN_CREDENTIALS, settingsSchema } from '../../../src/settings-schema.ts';

const SOURCE = new URL('../../../src/settings-schema.ts', import.meta.url);

/** The table of docs/settings.md: of each setting its default and what its comment in the schema says. */
export function settingsTable(): string[] {
  const comments = commentsOf(readFileSync(SOURCE, 'utf8'));
  const rows = Object.entries(settingsSchema.shape).map(([name, schema]) => {
    const inFile = IN_FILES.includes(name) ? ` \`${name}_FILE\` names a file with it.` : '';
    return `| \`${name}\` | ${defaultOf(schema.safeParse(undefined).data)} | ${linked(comments.get(name) ?? '')}${inFile} |`;
  });
  return ['| Name | Default | Meaning |', '| --- | --- | --- |', ...rows];
}

/** The comment above each setting, in one line. */
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

/** `docs/people.md#approval` in a comment becomes a link from a page of the same folder. */
function linked(text: string): string {
  return text.replace(/docs\/([\w-]+\.md(?:#[\w-]+)?)/g, (path, target) => `[${path.replace(/#.*/, '')}](${target})`);
}
