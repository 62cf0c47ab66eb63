import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { makeSharedKeys } from '../../src/ledger/schema/keys.ts';
import { openTrails } from '../support/audit.ts';
import { bundled } from '../support/bundle.ts';
import { COMPILED } from '../support/command.ts';
import { freshPrefix } from '../support/ledger.ts';
import { redisUrl } from '../support/redis/own-database.ts';

const WRITER = bundled('audit-writer');

// Promise: entries-are-chained
test('processes that write at the same time and are killed at any moment leave a whole trail, with all that was acknowledged', async () => {
  const { key, dir, process: openTrail } = await openTrails();
  const prefix = freshPrefix();
  const start = (by: string) => {
    const args = [WRITER, redisUrl(), prefix, dir, key.toString('hex'), by];
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...COMPILED },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const rounds = () => Number(said.trimEnd().split('\n').at(-1) ?? 0);
    return { by, child, rounds };
  };
  const trail = openTrail({ keys: makeSharedKeys(prefix) });
  const killed: ReturnType<typeof start>[] = [];
  // Each killed at another moment of what it does: after so many rounds, and in the middle of the next.
  for (const rounds of [3, 10]) {
    const writers = ['a', 'b', 'c'].map((name) => start(`${name}${rounds}`));
    for (const writer of writers) {
      await expect.poll(writer.rounds, { interval: 1 }).toBeGreaterThan(rounds);
      writer.child.kill('SIGKILL');
      await once(writer.child, 'close');
      killed.push(writer);
    }
    expect((await trail.verify()).broken).toBeUndefined();
  }
  await trail.note({ by: 'z', what: 'x', from: 'here' });
  const check = await trail.verify();
  expect(check.broken).toBeUndefined();
  expect(check.remembered).toBe(check.last?.number);
  const { entries } = await trail.read.page({ count: 100_000, walk: Number.POSITIVE_INFINITY });
  const written = new Set(entries.map(({ by, about }) => `${by} ${about}`));
  expect(written.size).toBe(entries.length);
  for (const { by, rounds } of killed) {
    for (let round = 1; round <= rounds(); round += 1) {
      for (const place of [1, 2, 3]) expect(written).toContain(`${by} ${round}.${place}`);
    }
  }
});
