import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDraftStore } from '../../../jobs/drafts/draft-store.ts';
import { makePreviews } from '../../../jobs/drafts/previews.ts';
import { makeSilentLog } from '../../../src/log.ts';
import type { Preview } from '../../../src/portfolio/preview.ts';
import { DRAFT } from '../../support/uploaded-draft.ts';
import { makeFolder } from '../../support/workplace.ts';

type Deps = Parameters<typeof makePreviews>[0];

async function open() {
  const drafts = makeDraftStore({ dir: await makeFolder() });
  const draft = await (await drafts.begin()).keep(DRAFT);
  const previews = makePreviews({
    drafts,
    account: 'https://test.example',
    log: makeSilentLog(),
    ...({ fileRules: {}, outlook: { onUnknownCompany: 'hold' } } as unknown as Pick<Deps, 'fileRules' | 'outlook'>),
    knownRate: async () => undefined,
    preview: async (_draft, { of }) => ({ of }) as Preview,
  });
  return { dir: drafts.dirOf(draft.id), look: () => previews.look(draft) };
}

test('a preview is made beside one that another console of the same data folder writes at the moment', async () => {
  const { dir, look } = await open();
  // Nothing of this name can be written here, as if another process had just renamed its own.
  await mkdir(join(dir, 'preview.json.part'));
  await expect.poll(look).toMatchObject({ is: 'there' });
});

test('a preview that a power cut left damaged is made again', async () => {
  const { dir, look } = await open();
  await expect.poll(look).toMatchObject({ is: 'there' });
  await writeFile(join(dir, 'preview.json'), '');
  expect(await look()).toMatchObject({ is: 'under way' });
  await expect.poll(look).toMatchObject({ is: 'there' });
});
