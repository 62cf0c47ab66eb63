import { expect, vi } from 'vitest';
import { WAIT } from './own-fixture.ts';
import type { makeServerFixture } from './server-fixture.ts';

/** Starts a Redis that loads its data for about so long. */
export async function startLoading(
  { start }: Pick<ReturnType<typeof makeServerFixture>, 'start'>,
  { seconds = 7 }: { seconds?: number } = {},
) {
  const { url, admin } = await start([
    'appendonly yes',
    'appendfsync always',
    'enable-debug-command yes',
    'rdbcompression no',
    'loading-process-events-interval-bytes 1024',
  ]);
  await admin.call('DEBUG', 'POPULATE', String(100 * seconds), 'key', '1024');
  await admin.config('SET', 'key-load-delay', '10000');
  const loading = admin.call('DEBUG', 'RELOAD');
  const other = admin.duplicate({ enableReadyCheck: false });
  await vi.waitFor(async () => expect(await other.info('persistence')).toContain('loading:1'), WAIT);
  other.disconnect();
  return { url, loading };
}
