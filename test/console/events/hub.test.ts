import { expect, onTestFinished, test } from 'vitest';
import { type Frame, makeHub, type Watcher } from '../../../src/console/events/hub.ts';
import { html } from '../../../src/console/html/html.ts';
import type { Strip } from '../../../src/console/layout/layout.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { STRIP } from '../../support/marked-console.ts';

function openHub(strip: () => Promise<Strip> = async () => STRIP) {
  const hub = makeHub({ strip, log: makeSilentLog(), everyMs: 20 });
  onTestFinished(() => hub.close());
  return hub;
}

/** A page that keeps its fragments by id, and the ids of each message. */
function makePage(takes = () => true) {
  const shown: Record<string, string> = {};
  const messages: string[][] = [];
  let ended = 0;
  const watcher: Watcher = {
    send: (message) => {
      const pieces = JSON.parse(/\ndata: (.*)\n\n$/.exec(message)?.[1] ?? '') as { id: string; html: string }[];
      for (const piece of pieces) shown[piece.id] = piece.html;
      messages.push(pieces.map(({ id }) => id));
      return takes();
    },
    end: () => {
      ended += 1;
    },
  };
  return { watcher, shown, messages, ended: () => ended };
}

const frameOf = (count: number): Frame => [
  { id: 'rows', html: html`<b>${count}</b>` },
  { id: 'same', html: html`<i>same</i>` },
];

test('a frame is read once for all watchers, which receive all of it first and then only changes', async () => {
  const hub = openHub();
  let [reads, count] = [0, 1];
  const read = async () => {
    reads += 1;
    return frameOf(count);
  };
  const pages = Array.from({ length: 50 }, () => makePage());
  for (const page of pages) hub.watch('q4', read, page.watcher);
  await expect.poll(() => pages.every(({ shown }) => shown.rows === '<b>1</b>')).toBe(true);
  count = 2;
  await expect.poll(() => pages.every(({ shown }) => shown.rows === '<b>2</b>')).toBe(true);
  const late = makePage();
  hub.watch('q4', read, late.watcher);
  expect(late.messages[0]).toEqual(['strip', 'held-count', 'approvals-count', 'rows', 'same']);
  expect(pages[0]?.messages.slice(0, 2)).toEqual([
    ['strip', 'held-count', 'approvals-count', 'rows', 'same'],
    ['rows'],
  ]);
  expect(reads).toBeLessThan(50);
  expect(Object.fromEntries(await hub.frame('q4', read))).toMatchObject({ rows: '<b>2</b>' });
});

test('a frame without watchers is not read any more', async () => {
  const hub = openHub();
  let reads = 0;
  const [first, second] = [makePage(), makePage()];
  const read = async () => {
    reads += 1;
    return frameOf(reads);
  };
  const leaves = [first, second].map(({ watcher }) => hub.watch('q4', read, watcher));
  await expect.poll(() => first.messages.length).toBeGreaterThan(2);
  for (const leave of [...leaves, ...leaves]) leave?.();
  expect(hub.watchers()).toBe(0);
  const before = reads;
  const other = makePage();
  hub.watch('other', async () => [], other.watcher);
  await expect.poll(() => other.messages.length).toBeGreaterThan(0);
  expect(reads).toBeLessThanOrEqual(before + 1);
});

test('a watcher that cannot receive more is closed, and the others receive further frames', async () => {
  const hub = openHub();
  let count = 0;
  const [slow, quick] = [makePage(() => false), makePage()];
  for (const { watcher } of [slow, quick]) hub.watch('q4', async () => frameOf(count++), watcher);
  await expect.poll(() => quick.messages.length).toBeGreaterThan(3);
  expect([slow.ended(), slow.messages.length, hub.watchers()]).toEqual([1, 1, 1]);
});

test('while a frame cannot be read the strip says so, and afterwards updates resume', async () => {
  let away = false;
  const broken = () => Promise.reject(new Error('Command timed out'));
  const hub = openHub(() => (away ? broken() : Promise.resolve(STRIP)));
  const page = makePage();
  let count = 1;
  hub.watch('q4', () => (away ? broken() : Promise.resolve(frameOf(count))), page.watcher);
  await expect.poll(() => page.shown.rows).toBe('<b>1</b>');
  [away, count] = [true, 2];
  await expect.poll(() => page.shown.strip).toMatch(/Redis does not answer.*What this page shows is from/s);
  expect(page.shown.rows).toBe('<b>1</b>');
  away = false;
  await expect.poll(() => page.shown.rows).toBe('<b>2</b>');
  expect(page.shown.strip).not.toContain('Redis does not answer');
});

test('closing the hub ends all streams, and no further watcher is accepted', async () => {
  const hub = openHub();
  const page = makePage();
  hub.watch('q4', async () => frameOf(1), page.watcher);
  hub.close();
  expect(page.ended()).toBe(1);
  expect(hub.watch('q4', async () => frameOf(1), page.watcher)).toBeUndefined();
});

test('a session that ended is signed out of its streams at the next check, which asks about all sessions at once', async () => {
  const living = new Set(['anna', 'ben']);
  const asked: (string | undefined)[][] = [];
  const hub = makeHub({
    strip: async () => STRIP,
    log: makeSilentLog(),
    everyMs: 20,
    mayWatch: async (sessions) => {
      asked.push([...sessions]);
      return sessions.map((session) => session !== undefined && living.has(session));
    },
  });
  onTestFinished(() => hub.close());
  const watch = (session: string) => {
    const heard: string[] = [];
    let endedMs = 0;
    const watcher: Watcher = {
      session,
      send: (message) => heard.push(message) > 0,
      end: () => {
        endedMs = performance.now();
      },
    };
    hub.watch(`page of ${session}`, async () => frameOf(1), watcher);
    return { heard, ended: () => endedMs };
  };
  const [anna, ben, again] = [watch('anna'), watch('ben'), watch('anna')];
  await expect.poll(() => asked.length).toBeGreaterThan(0);
  expect(asked[0]).toEqual(['anna', 'ben']);
  const before = asked.length;
  living.delete('anna');
  await expect.poll(() => anna.ended() > 0 && again.ended() > 0).toBe(true);
  // One check may be under way. The next follows a second later.
  expect(asked.length - before).toBeLessThanOrEqual(2);
  expect(anna.heard.at(-1)).toBe('event: signed-out\ndata: \n\n');
  expect([ben.ended(), hub.watchers()]).toEqual([0, 1]);
});

test('while sessions cannot be checked, all streams stay open', async () => {
  let asked = 0;
  const hub = makeHub({
    strip: async () => STRIP,
    log: makeSilentLog(),
    mayWatch: async () => {
      asked += 1;
      throw new Error('Connection is closed.');
    },
  });
  onTestFinished(() => hub.close());
  const page = makePage();
  hub.watch('q4', async () => frameOf(1), page.watcher);
  await expect.poll(() => asked).toBeGreaterThan(1);
  expect([page.ended(), hub.watchers()]).toEqual([0, 1]);
});

test('one session may have 60 streams, and a closed stream makes room for another', async () => {
  const hub = openHub();
  const watch = (session: string | undefined, name: string) =>
    hub.watch(name, async () => [], { ...makePage().watcher, ...(session === undefined ? {} : { session }) });
  const leaves = Array.from({ length: 200 }, (_, place) => watch('greedy', `thing ${place}`)).filter(Boolean);
  expect([leaves.length, hub.watchers()]).toEqual([60, 60]);
  expect(watch('another', 'thing 1')).toBeDefined();
  for (let place = 0; place < 100; place += 1) expect(watch(undefined, 'thing 1')).toBeDefined();
  for (const leave of [leaves[0], leaves[0], leaves[1]]) leave?.();
  expect([1, 2, 3].map((place) => watch('greedy', `more ${place}`) !== undefined)).toEqual([true, true, false]);
});
