import { expect, test } from 'vitest';
import { openConsole, openDesk } from '../support/desk.ts';

test('a page contains the status strip, refers to cacheable assets and has its headers', async () => {
  const desk = await openDesk(0);
  const { get, url } = await openConsole(desk);
  const page = await get('/keys');
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining('<h1>Keyboard</h1>') });
  expect(page.text).toContain(desk.env.SERVICE_URL);
  expect(page.text).toContain('No worker runs');
  const files = [...page.text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
  expect(files.length).toBeGreaterThan(2);
  for (const path of files) {
    const { status, headers } = await get(path);
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
  }
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});

test('the events of a page begin with all fragments, and are available as JSON without a stream', async () => {
  const { open, get } = await openConsole(await openDesk(0));
  const once = await get('/events');
  expect(JSON.parse(once.text)).toEqual({
    fragments: [
      { id: 'strip', html: expect.stringContaining('Account') },
      { id: 'held-count', html: '' },
      { id: 'approvals-count', html: '' },
    ],
  });
  const ending = new AbortController();
  const response = await open('/events', { headers: { accept: 'text/event-stream' }, signal: ending.signal });
  let text = '';
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece);
    if (text.includes('event: frame')) break;
  }
  ending.abort();
  expect(response.headers.get('content-type')).toMatch('text/event-stream');
  expect(text).toMatch(/retry: 2000\n\nid: 1\nevent: frame\ndata: \[\{"id":"strip"/);
});
