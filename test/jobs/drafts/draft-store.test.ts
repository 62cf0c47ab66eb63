import { mkdir, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDraftStore } from '../../../jobs/drafts/draft-store.ts';
import { DRAFT } from '../../support/uploaded-draft.ts';
import { makeFolder } from '../../support/workplace.ts';

test('a draft is found by another process, changed one change at a time, and deleted after a week', async () => {
  const dir = await makeFolder();
  const store = makeDraftStore({ dir });
  const { id } = await (await store.begin()).keep(DRAFT);
  const other = makeDraftStore({ dir });
  const add = () => other.change(id, (draft) => ({ ...draft, uploadedMs: draft.uploadedMs + 1 }));
  // Each store stands for a process.
  const addHere = () => store.change(id, async (draft) => ({ ...draft, uploadedMs: draft.uploadedMs + 1 }));
  await Promise.all([add(), addHere(), add(), addHere(), add()]);
  expect(await store.read(id)).toMatchObject({ uploadedMs: 6 });
  expect(await store.list()).toHaveLength(1);
  const weekAgo = new Date(Date.now() - 7 * 86_400_000 - 1_000);
  await utimes(join(dir, id, 'draft.json'), weekAgo, weekAgo);
  expect(await store.list()).toEqual([]);
  expect(await readdir(dir)).toEqual([]);
});

test('the next upload removes the unfinished folder of a killed process, and not that of a living one', async () => {
  const dir = await makeFolder();
  const store = makeDraftStore({ dir });
  const mine = await store.begin();
  const [mark = ''] = /\d+-[0-9a-f]{8}-[0-9a-f]{8}/.exec(mine.dir) ?? [];
  const gone = join(dir, `incoming-${mark.replace(/[0-9a-f]{8}$/, '00000000')}-abcdefghijkl`);
  await mkdir(gone);
  const next = await store.begin();
  expect((await readdir(dir)).map((name) => join(dir, name)).sort()).toEqual([mine.dir, next.dir].sort());
  await next.drop();
  expect(await readdir(dir)).toHaveLength(1);
});
