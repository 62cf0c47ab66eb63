import { expect, test } from 'vitest';
import { settingsSchema } from '../../../src/settings-schema.ts';
import { MADE, makePage } from './pages.ts';

test.each(Object.keys(MADE))('%s is up to date with npm run pages', async (page) => {
  const { is, made } = await makePage(page);
  expect(made).toContain('<!-- made by npm run pages -->');
  expect(is).toBe(made);
});

test('docs/settings.md explains each setting in a sentence', async () => {
  const { is } = await makePage('docs/settings.md');
  const said = new Map(
    [...is.matchAll(/^\| `([A-Z_]+)` \| .+? \| (.+) \|$/gm)].map(([, name, meaning]) => [name, meaning]),
  );
  expect(Object.keys(settingsSchema.shape).filter((name) => !said.get(name)?.endsWith('.'))).toEqual([]);
});
