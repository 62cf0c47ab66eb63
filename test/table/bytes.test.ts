import { execFileSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openBytes } from '../../src/table/bytes.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

test('a file is read completely, in full chunks', async () => {
  const { write } = await makeTemporaryFolder();
  const content = Buffer.alloc(200_000, 'limitline ');
  const source = await openBytes({ path: await write('a.csv', content) });
  const chunks: Buffer[] = [];
  for (let chunk = await source.read(); chunk; chunk = await source.read()) chunks.push(Buffer.from(chunk));
  await source.close();
  await source.close();
  expect(Buffer.concat(chunks).equals(content)).toBe(true);
  expect(new Set(chunks.slice(0, -1).map((chunk) => chunk.length)).size).toBe(1);
});

test('a pipe that delivers little at a time is read to its end', async () => {
  const { dir } = await makeTemporaryFolder();
  const path = join(dir, 'pipe');
  execFileSync('mkfifo', [path]);
  const [source, writer] = await Promise.all([openBytes({ path }), open(path, 'w')]);
  const reading = source.read().then((chunk) => chunk?.toString());
  for (const part of ['name,', 'requested_limit\n', 'Acme,', '1000\n']) await writer.write(part);
  await writer.close();
  expect(await reading).toBe('name,requested_limit\nAcme,1000\n');
  expect(await source.read()).toBeNull();
  await source.close();
});

test('a file that cannot be opened or read is an error with the reason', async () => {
  const { dir } = await makeTemporaryFolder();
  await expect(openBytes({ path: join(dir, 'none.csv') })).rejects.toMatchObject({
    code: 'FILE',
    message: `${join(dir, 'none.csv')} cannot be read: there is no such file; check the path.`,
  });
  const folder = await openBytes({ path: dir });
  await expect(folder.read()).rejects.toMatchObject({
    code: 'FILE',
    message: expect.stringContaining('it is a folder'),
  });
  await folder.close();
});

test('reading ends with an error when the process stops', async () => {
  const { write } = await makeTemporaryFolder();
  const signal = AbortSignal.abort();
  const source = await openBytes({ path: await write('a.csv', 'a'), signal });
  await expect(source.read()).rejects.toMatchObject({ code: 'STOPPED' });
  await source.close();
});
