import { expect, test } from 'vitest';
import { openMarkedConsole } from '../../support/marked-console.ts';

const TIMEOUT_MS = 300_000;

/** Types whose text has no letters but ASCII's, or says itself how it is written (RFC 8259, WHATWG's HTML 9.2.5). */
const WITHOUT_CHARSET = /^(?:text\/event-stream|image\/|font\/|application\/(?:octet-stream|vnd\.|json$|manifest))/;

test(
  'every answer says its type and how it is written, and what a browser may do with it',
  async () => {
    const { get, addresses, url } = await openMarkedConsole();
    const page = await get('/keys');
    const assets = [...page.text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
    const board = await get('/queues');
    const boards = [...board.text.matchAll(/(?:href|src)="(static\/[^"]+)"/g)].map(([, path]) => `/queues/${path}`);
    expect([assets.length > 2, boards.length > 2]).toEqual([true, true]);
    const wrong: string[] = [];
    const look = (path: string, status: number, headers: Headers, text: string) => {
      const says = (name: string) => headers.get(name) ?? '';
      const type = says('content-type');
      const isTyped = text === '' || WITHOUT_CHARSET.test(type) || /; ?charset=utf-8$/i.test(type);
      const policy = says('content-security-policy');
      const isGuarded =
        says('x-content-type-options') === 'nosniff' &&
        says('access-control-allow-origin') === '' &&
        says('referrer-policy') === 'same-origin' &&
        /default-src 'none'.*frame-ancestors 'none'/.test(policy) &&
        says('x-powered-by') === '';
      if (!isTyped || !isGuarded) wrong.push(`${status} ${path}: ${type} ${policy.slice(0, 30)}`);
    };
    for (const path of [...addresses, ...assets, ...boards]) {
      const { status, headers, text } = await get(path);
      look(path, status, headers, text);
    }
    const posted = await fetch(`${url}/work/retry`, { method: 'POST' });
    expect(posted.status).toBe(403);
    expect(wrong).toEqual([]);
  },
  TIMEOUT_MS,
);
