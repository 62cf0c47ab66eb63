import { execFile } from 'node:child_process';
import { mkdir, open, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand, startCommand } from '../support/command.ts';
import { ownRedis } from '../support/ledger.ts';
import { writeZip } from '../support/workbooks.ts';
import { makeFolder } from '../support/workplace.ts';

const HEADER = 'name,requested_limit,supporting_documents\n';

/** A place with documents in an archive, its own temporary folder, and pipes that never end. */
async function openPlace() {
  const dir = await makeFolder();
  const tmp = join(dir, 'tmp');
  await mkdir(tmp);
  await writeZip(join(dir, 'd.zip'), { 'a.pdf': '%PDF-1.4\n', 'group/b.pdf': '%PDF-1.4\n' });
  await writeFile(join(dir, 'plain.csv'), `${HEADER}A,1,\n`);
  const [silent, slow, long] = [join(dir, 'silent.csv'), join(dir, 'slow.csv'), join(dir, 'long.csv')];
  // An import of this file takes some seconds.
  await writeFile(
    long,
    `${HEADER}${Array.from({ length: 40_000 }, (_line, at) => `Buyer ${at},${at + 1},\n`).join('')}`,
  );
  for (const path of [silent, slow]) await promisify(execFile)('mkfifo', [path]);
  const env = { TMPDIR: tmp, ...ownRedis() };
  return {
    silent,
    slow,
    long,
    start: (args: string[]) => startCommand([...args, '--documents', join(dir, 'd.zip')], { cwd: dir, env }),
    runPlain: () => runCommand(['check', 'plain.csv'], { cwd: dir, env }),
    /** The entries of the temporary folder, without those of Node. */
    left: async () => (await readdir(tmp)).filter((name) => name.startsWith('limitline-')),
    /** Feeds a pipe that a command reads, until the test ends. */
    async feed(path: string) {
      const pipe = await open(path, 'w');
      onTestFinished(() => pipe.close().catch(() => {}));
      await pipe.write(HEADER);
      return pipe;
    },
  };
}

// Promise: unpacked-documents-removed
test.each(['SIGINT', 'SIGHUP'] as const)('documents that check unpacked are deleted after %s', async (name) => {
  const place = await openPlace();
  const waiting = place.start(['check', place.silent]);
  await expect.poll(place.left).toHaveLength(1);
  waiting.child.kill(name);
  await waiting.ended;
  expect(waiting.child.signalCode ?? waiting.child.exitCode).not.toBe(0);
  expect(await place.left()).toEqual([]);
});

test('a check that is stopped while it reads reports that and deletes its unpacked documents', async () => {
  const place = await openPlace();
  const reading = place.start(['check', place.slow]);
  const pipe = await place.feed(place.slow);
  await expect.poll(place.left).toHaveLength(1);
  reading.child.kill('SIGTERM');
  // The reader notices the stop at the next chunk of the pipe.
  await expect
    .poll(async () => (reading.child.exitCode === null ? pipe.write('A,1,\n').catch(() => {}) : null))
    .toBeNull();
  expect(await reading.ended).toMatchObject({ status: 1, stderr: expect.stringMatching(/given up/) });
  expect(await place.left()).toEqual([]);
});

test('documents that import unpacked are deleted after a second signal', async () => {
  const place = await openPlace();
  const importing = place.start(['import', place.long, '--portfolio', 'q4']);
  // If the import has ended already, the failure shows why.
  const here = async () => {
    const names = await place.left();
    return names.length > 0 ? names : [importing.output().stderr, importing.child.exitCode];
  };
  await expect.poll(here).toEqual([expect.stringMatching(/^limitline-/)]);
  importing.child.kill('SIGTERM');
  importing.child.kill('SIGHUP');
  await expect.poll(place.left).toEqual([]);
  expect((await importing.ended).status).not.toBe(0);
});

test('import refuses a pipe, because it reads its file more than once', async () => {
  const place = await openPlace();
  const { status, stderr } = await place.start(['import', place.silent, '--portfolio', 'q4']).ended;
  expect([status, stderr]).toEqual([1, expect.stringContaining('is a pipe, and an import reads its file more than')]);
  expect(await place.left()).toEqual([]);
});

// Promise: unpacked-documents-removed
test('check deletes the unpacked documents of a killed process, and keeps those of a living one', async () => {
  const place = await openPlace();
  const [killed, living] = [place.start(['check', place.silent]), place.start(['check', place.slow])];
  await expect.poll(place.left).toHaveLength(2);
  const before = await place.left();
  killed.child.kill('SIGKILL');
  await killed.ended;
  expect(await place.left()).toEqual(before);
  expect(await place.runPlain()).toMatchObject({ status: 0 });
  expect(await place.left()).toEqual(before.filter((name) => name.includes(`-${living.child.pid}-`)));
});
