import { expect, onTestFinished, test } from 'vitest';
import { LEASE_MS, startSigns, takeLease, underLease } from '../../../src/ledger/schema/lease.ts';
import { openLedger } from '../../support/ledger.ts';

function openRight() {
  const { connection, keys } = openLedger();
  return { connection, key: keys.inboxTaken('f') };
}

test('a lease has one holder at a time, until it is released or expires', async () => {
  const right = openRight();
  const first = await takeLease({ ...right, holder: 'a' });
  expect(await takeLease({ ...right, holder: 'b' })).toBeUndefined();
  const leftMs = await right.connection.pttl(right.key);
  expect(leftMs).toBeGreaterThan(0);
  expect(leftMs).toBeLessThanOrEqual(LEASE_MS);
  await first?.release();
  const second = await takeLease({ ...right, holder: 'b' });
  // The former holder's release does not end another's lease.
  await first?.release();
  expect(await right.connection.get(right.key)).toBe('b');
  await second?.release();
});

test('work under a lease releases it on failure, and does not run while another process holds it', async () => {
  const right = { ...openRight(), processId: 'p', what: 'the folder' };
  const failing = underLease(right, async () => {
    expect(await underLease(right, async () => 'inside')).toBeUndefined();
    throw new Error('failed');
  });
  await expect(failing).rejects.toThrow('failed');
  expect(await right.connection.exists(right.key)).toBe(0);
});

test('a signal stops the work when another process takes its lease', async () => {
  const right = { ...openRight(), processId: 'p', what: 'the folder' };
  const reason = await underLease(right, async (_holder, lost) => {
    await right.connection.set(right.key, 'another');
    await expect.poll(() => lost.aborted, { timeout: LEASE_MS }).toBe(true);
    return lost.reason;
  });
  expect(reason).toMatchObject({ code: 'STOPPED', message: 'Another process has taken over the folder.' });
  expect(await right.connection.get(right.key)).toBe('another');
});

test('no renewal runs after the end of a lease, and a failed renewal does not stop later ones', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let signs = 0;
  const stop = startSigns(async () => {
    signs += 1;
    if (signs === 1) throw new Error('Redis is away');
    if (signs === 2) await promise;
  }, 1);
  onTestFinished(() => resolve());
  await expect.poll(() => signs).toBe(2);
  const ended = stop();
  resolve();
  await ended;
  expect(signs).toBe(2);
});
