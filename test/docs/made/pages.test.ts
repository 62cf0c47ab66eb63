import { expect, test } from 'vitest';
import { settingsSchema } from '../../../src/settings-schema.ts';
import { MADE, makePage } from './pages.ts';

test.each(Object.keys(MADE))('%s is what npm run pages makes of it', async (page) => {
  const { is, made } = await makePage(page);
  expect(made).toContain('<!-- made by npm run pages -->');
  expect(is).toBe(made);
});

test('docs/settings.md says of each setting what it means', async () => {
  const { is } = await makePage('docs/settings.md');
  const said = new Map(
    [...is.matchAll(/^\| `([A-Z_]+)` \| .+? \| (.+) \|$/gm)].map(([, name, meaning]) => [name, meaning]),
  );
  expect(Object.keys(settingsSchema.shape).filter((name) => !said.get(name)?.endsWith('.'))).toEqual([]);
});
