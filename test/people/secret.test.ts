import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeSharedKeys } from '../../src/ledger/schema/keys.ts';
import { type KeyLabel, makeSecret } from '../../src/people/secret.ts';
import { bundled } from '../support/bundle.ts';
import { startScript } from '../support/command.ts';
import { connectRedis, freshPrefix } from '../support/ledger.ts';
import { redisUrl } from '../support/redis/own-database.ts';
import { makeFolder } from '../support/workplace.ts';

function openSecret({ dataDir, given, prefix }: { dataDir: string; given?: string; prefix: string }) {
  const connection = connectRedis();
  const keys = makeSharedKeys(prefix);
  return makeSecret({ given, dataDir, connection, keys, prefix, where: 'Redis here' });
}

const SECRET = 'a-secret-of-32-characters-or-more';

describe("the installation's secret", () => {
  test('is created when first needed, readable for its owner only, and found again', async () => {
    const [dataDir, prefix] = [join(await makeFolder(), 'data'), freshPrefix()];
    const one = openSecret({ dataDir, prefix });
    await expect(readdir(dataDir)).rejects.toThrow('ENOENT');
    const key = await one.key('sessions');
    expect(key).toHaveLength(32);
    expect(await readdir(dataDir)).toEqual(['secret']);
    expect((await stat(join(dataDir, 'secret'))).mode & 0o777).toBe(0o600);
    expect(await openSecret({ dataDir, prefix }).key('sessions')).toEqual(key);
  });

  test('yields a different key for each purpose and prefix', async () => {
    const [dataDir, prefix] = [await makeFolder(), freshPrefix()];
    const labels: KeyLabel[] = ['sessions', 'factors', 'audit', 'csrf'];
    const secrets = [prefix, freshPrefix()].map((each) => openSecret({ dataDir, given: SECRET, prefix: each }));
    const all = await Promise.all(secrets.flatMap(({ key }) => labels.map((label) => key(label))));
    expect(new Set(all.map((key) => key.toString('hex'))).size).toBe(8);
    // Redis contains neither the secret nor one of its keys.
    const mark = (await connectRedis().get(makeSharedKeys(prefix).secretMark)) ?? '';
    expect(mark).toMatch(/^[\w-]{16}$/);
    expect(all.some((key) => key.toString('base64url').includes(mark))).toBe(false);
  });

  test('is the same for several processes that need it first at the same time', async () => {
    const [dataDir, prefix] = [join(await makeFolder(), 'data'), freshPrefix()];
    const args = [dataDir, prefix, redisUrl()];
    const ended = await Promise.all(
      Array.from({ length: 4 }, () => startScript(bundled('secret-process'), args, { cwd: dirname(dataDir) }).ended),
    );
    expect(ended.map(({ stderr }) => stderr)).toEqual(['', '', '', '']);
    expect(new Set(ended.map(({ stdout }) => stdout)).size).toBe(1);
    expect(await readdir(dataDir)).toEqual(['secret']);
    const here = await Promise.all(Array.from({ length: 9 }, () => openSecret({ dataDir, prefix }).key('audit')));
    expect(new Set(here.map((key) => `${key.toString('hex')}\n`))).toEqual(new Set([ended[0]?.stdout]));
  });

  // Promise: other-secret-is-named
  test('is refused with one sentence on a host that has another one', async () => {
    const prefix = freshPrefix();
    await openSecret({ dataDir: await makeFolder(), prefix }).key('audit');
    const dataDir = await makeFolder();
    const second = openSecret({ dataDir, prefix });
    await expect(second.key('audit')).rejects.toThrow(/not the one that .*was first used with.*LIMITLINE_SECRET_FILE/);
    await expect(openSecret({ dataDir, given: SECRET, prefix }).key('audit')).rejects.toThrow(/LIMITLINE_SECRET\)/);
  });

  test('that was corrected is accepted at the next try', async () => {
    const [dataDir, other, prefix] = [await makeFolder(), await makeFolder(), freshPrefix()];
    const key = await openSecret({ dataDir, prefix }).key('audit');
    const second = openSecret({ dataDir: other, prefix });
    await expect(second.key('audit')).rejects.toThrow('not the one');
    await writeFile(join(other, 'secret'), await readFile(join(dataDir, 'secret')));
    expect(await second.key('audit')).toEqual(key);
  });

  test('that others could read loses that permission', async () => {
    const [dataDir, prefix] = [await makeFolder(), freshPrefix()];
    await writeFile(join(dataDir, 'secret'), `${SECRET}\n`);
    await chmod(join(dataDir, 'secret'), 0o644);
    const key = await openSecret({ dataDir, prefix }).key('audit');
    expect((await stat(join(dataDir, 'secret'))).mode & 0o777).toBe(0o640);
    expect(await openSecret({ dataDir, given: SECRET, prefix }).key('audit')).toEqual(key);
  });

  test.each([
    ['nothing', ''],
    ['too little', 'short'],
    ['several words', `${SECRET} ${SECRET}`],
  ])('of %s in its file is an error, and the file is not replaced', async (_what, text) => {
    const [dataDir, prefix] = [await makeFolder(), freshPrefix()];
    await writeFile(join(dataDir, 'secret'), text);
    await expect(openSecret({ dataDir, prefix }).key('audit')).rejects.toThrow(/holds no secret/);
    expect(await readFile(join(dataDir, 'secret'), 'utf8')).toBe(text);
  });

  test('in an unreadable file is an error', async () => {
    const [dataDir, prefix] = [await makeFolder(), freshPrefix()];
    await mkdir(join(dataDir, 'secret'));
    await expect(openSecret({ dataDir, prefix }).key('audit')).rejects.toThrow(/cannot be read: it is a folder/);
  });
});
