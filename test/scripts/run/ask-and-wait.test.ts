import { expect } from 'vitest';
import { askAndWait } from '../../../scripts/run/ask-and-wait.ts';
import { openSessionPlace, SESSION_FILE, sessionPlace, writeSessionFile } from '../../support/session-file.ts';
import { testsBeside } from '../../support/tests-beside.ts';

const test = testsBeside();

type Place = Awaited<ReturnType<typeof openSessionPlace>>;

/** Requests sessions and waits briefly; returns the messages and whether each limit has a link. */
async function wait({ context }: Place, patienceMs = 2_000) {
  const said: string[] = [];
  const terminal = { say: (text: string) => void said.push(text) };
  const stop = new AbortController().signal;
  const hasLinks = await askAndWait('q4', { context, terminal, stop, patienceMs });
  return { hasLinks, said: said.join(' ') };
}

// Promise: run-ends-without-progress
test('a run whose sessions are throttled again and again ends, and reports what waits', async () => {
  const rule = { on: 'session', fault: 'status', status: 429 } as const;
  const place = await openSessionPlace(2, { faults: { rules: [rule] } });
  const { hasLinks, said } = await wait(place);
  expect(hasLinks).toBe(false);
  // A session whose refusal is under way at that moment counts as not answered yet.
  expect(said).toMatch(/since none was made for 2 s\.|2 not answered yet/);
  await expect.poll(() => place.context.calls.sessions.waiting()).toHaveLength(2);
});

// Promise: run-ends-without-progress
test('a run whose session no worker can send, because of another session file, ends and reports what waits', async () => {
  const place = await openSessionPlace(1);
  await place.workers.stop();
  await place.ask();
  const body = { ...SESSION_FILE.body, of: sessionPlace('supplier') };
  await place.work(undefined, { SERVICE_SESSION_FILE: await writeSessionFile({ body }) });
  expect((await wait(place)).said).toContain('1 hosted session waits, since none was made for 2 s.');
});

// Promise: run-ends-without-progress
test('a run with a session claimed by a vanished process behind a paused queue ends and reports it', async () => {
  const place = await openSessionPlace(1);
  const { calls, keys, ledger, queues } = place.context;
  await queues.pauseQueue('buyer-limits');
  await place.ask();
  const [wish] = await calls.sessions.waiting();
  await ledger.hset(keys.call('session', wish?.key ?? ''), { state: 'claimed', owner: 'gone/1', at: '1', sends: '1' });
  const { hasLinks, said } = await wait(place);
  expect(hasLinks).toBe(false);
  expect(said).toContain('hosted sessions: 1 not answered yet.');
});

// Promise: run-waits-for-sessions
test('a run waits as long as sessions keep being made', async () => {
  // Each session takes some two seconds, and one is sent at a time.
  const slow = { on: 'session', fault: 'slow', bytesPerS: 80 } as const;
  const place = await openSessionPlace(4, { env: { SERVICE_CONCURRENCY: '1' }, faults: { rules: [slow] } });
  expect(await wait(place, 7_000)).toMatchObject({ hasLinks: true });
});
