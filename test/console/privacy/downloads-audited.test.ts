import { request } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { sendDownload } from '../../../src/console/pages/downloads/send-download.ts';
import { openBareConsole } from '../../support/marked-console.ts';
import { makeNotedAudit } from '../../support/noted-audit.ts';

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
