import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDocumentStore } from '../../src/documents/store.ts';
import { makeStoreLooks } from '../../src/documents/store-looks.ts';
import { makeFolder } from '../support/workplace.ts';

const signal = new AbortController().signal;

test('a copy is whole, damaged or missing, and all that a store holds is told by name', async () => {
  const dir = await makeFolder();
  const looks = makeStoreLooks({ dir: join(dir, 'store') });
  // The folder need not be there.
  expect(await Array.fromAsync(looks.names())).toEqual([]);
  const path = join(dir, 'a.pdf');
  await writeFile(path, 'content');
  const kept = await makeDocumentStore({ dir: join(dir, 'store') }).put({
    name: 'a.pdf',
    path,
    sizeBytes: 7,
    mediaType: 'application/pdf',
  });
  const damaged = 'ab'.repeat(32);
  await mkdir(dirname(looks.pathOf(damaged)), { recursive: true });
  await writeFile(looks.pathOf(damaged), 'other');
  // What is no copy is left out.
  await writeFile(join(dir, 'store', 'ab', 'note.txt'), '');

  expect(await looks.check(kept, signal)).toBe('whole');
  expect(await looks.check(damaged, signal)).toBe('damaged');
  expect(await looks.check('cd'.repeat(32), signal)).toBe('missing');
  expect(await looks.check('../../a.pdf', signal)).toBe('missing');
  expect((await Array.fromAsync(looks.names())).flat().toSorted()).toEqual([kept, damaged].toSorted());
  expect(await looks.writtenMs(kept)).toBeGreaterThan(0);
  expect(await looks.writtenMs('cd'.repeat(32))).toBeUndefined();
  await expect(looks.check(kept, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
});
