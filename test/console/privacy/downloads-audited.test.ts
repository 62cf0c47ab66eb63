import { request } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { sendDownload } from '../../../src/console/pages/downloads/send-download.ts';
import { openBareConsole, openMarkedConsole } from '../../support/marked-console.ts';
import { makeNotedAudit } from '../../support/noted-audit.ts';

const TIMEOUT_MS = 300_000;

// Promise: downloads-audited
test(
  'each downloaded file is recorded with the person, its portfolio and the number of bytes sent',
  async () => {
    const { url, addresses, audit } = await openMarkedConsole();
    const left: [path: string, bytes: number][] = [];
    for (const path of addresses) {
      const before = audit.noted.length;
      const answer = await fetch(`${url}${path}`, { redirect: 'manual', headers: { 'x-test-roles': 'finance' } });
      const { byteLength } = await answer.arrayBuffer();
      if (!answer.headers.get('content-disposition')?.startsWith('attachment')) {
        expect([path, audit.noted.slice(before)]).toEqual([path, []]);
        continue;
      }
      left.push([path, byteLength]);
      await expect.poll(() => audit.noted.at(-1)?.came).toEqual({ bytes: byteLength, whole: true });
      expect(audit.noted.slice(before)).toEqual([
        expect.objectContaining({
          by: 'a finance',
          from: '127.0.0.1',
          what: expect.stringMatching(/ (?:downloaded|exported)$/),
        }),
      ]);
      const { about, facts } = audit.noted.at(-1) ?? {};
      expect([about, facts?.file], path).toEqual([
        /^\/(?:portfolios|new)\/([^/]+)/.exec(path)?.[1],
        expect.stringMatching(/\.(?:csv|xlsx|txt|ndjson|html)$/),
      ]);
    }
    expect(left.map(([path]) => path.replace(/^\/new\/[^/]+/, '/new/ID'))).toEqual(
      expect.arrayContaining([
        '/portfolios/q4/downloads/results.csv',
        '/portfolios/q4/downloads/errors.csv',
        '/portfolios/q4/downloads/results.xlsx',
        '/portfolios/q4/downloads/original',
        '/portfolios/q4/downloads/original?import=1',
        '/nightly/reports/2026-11-22T01%3A30%3A00.000Z/items.csv',
        '/nightly/reports/2026-11-22T01%3A30%3A00.000Z/report.html',
        '/held/text',
        '/audit/export',
        '/portfolios/q4/held/text',
        '/new/ID/file',
      ]),
    );
    expect(JSON.stringify(audit.noted)).not.toMatch(/zqxjv/i);
  },
  TIMEOUT_MS,
);

/** A console with one file, which continues as long as its reader wants. */
async function openEndless() {
  const audit = makeNotedAudit();
  const content = new PassThrough();
  const web = await openBareConsole({
    audit,
    pages: (app) => {
      app.get('/file', async (asked, reply) =>
        sendDownload({ request: asked, reply }, { fileName: 'a.bin', type: 'a/b', what: 'a downloaded' }, content),
      );
    },
  });
  return { ...web, audit, content };
}

test('an aborted download is recorded with the number of bytes sent', async () => {
  const { url, audit, content } = await openEndless();
  content.write(Buffer.alloc(10_000));
  await new Promise<void>((resolve) => {
    const asked = request(`${url}/file`, (answer) => {
      answer.once('data', () => {
        asked.destroy();
        resolve();
      });
    });
    asked.on('error', () => {});
    asked.end();
  });
  await expect.poll(() => audit.noted[0]?.came).toEqual({ bytes: 10_000, whole: false });
  expect(content.destroyed).toBe(true);
});

// Promise: entry-comes-first
test('a download is answered with status 503 when its audit entry cannot be written', async () => {
  const { get, audit, content } = await openEndless();
  audit.away = true;
  const { status, text, headers } = await get('/file');
  expect([status, headers.get('content-disposition')]).toEqual([503, null]);
  expect(text).toContain('Not available just now');
  expect(content.destroyed).toBe(true);
});
