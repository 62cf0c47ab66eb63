import { createServer } from 'node:http';
import { expect } from 'vitest';
import { openBrowser, testInBrowser } from '../support/browser.ts';
import { openBareConsole } from '../support/marked-console.ts';
import { portOf } from '../support/tls-service.ts';

/** A foreign site under another host name than the console’s. */
async function openElsewhere(body: string): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>Elsewhere</title><link rel="icon" href="data:,">${body}`);
  });
  return `http://localhost:${await portOf(server)}/`;
}

// Promise: foreign-link-asks-first
testInBrowser('a link from another site leads to a page that asks first, and open forms stay valid', async () => {
  const { url } = await openBareConsole();
  const { page, tab, context } = await openBrowser();
  await page.goto(`${url}/gallery`);
  await page.getByLabel('Name').fill('half done');
  const elsewhere = await tab();
  await elsewhere.goto(await openElsewhere(`<a target="_blank" href="${url}/gallery?a=1&amp;b=2">There</a>`));
  const [led] = await Promise.all([context.waitForEvent('page'), elsewhere.getByText('There').click()]);
  await led.getByRole('heading', { name: 'Another site led here' }).waitFor();
  expect(await led.locator('main').locator('button, form, input').count()).toBe(0);
  await led.getByRole('link', { name: 'Go on' }).click();
  await led.getByLabel('Name').waitFor();
  expect(led.url()).toBe(`${url}/gallery?a=1&b=2`);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => page.textContent('main')).toContain('half done');
});

// Promise: no-forms-of-other-sites
testInBrowser('requests of another site are refused, and their answers are unreadable to it', async () => {
  const asked: string[] = [];
  const { url } = await openBareConsole({
    pages: (app) => {
      app.addHook('onResponse', async (request, reply) => {
        if (request.headers['sec-fetch-site'] !== 'none') asked.push(`${request.method} ${reply.statusCode}`);
      });
    },
  });
  const { page, expectFault } = await openBrowser();
  expectFault(
    /403|ERR_FAILED|ERR_BLOCKED|CORS|Refused to (?:display|frame)|X-Frame-Options|frame-ancestors|CERT|SSL|MIME/,
  );
  await page.goto(
    await openElsewhere(`<iframe name="frame"></iframe>
      <form id="plain" method="post" target="frame" action="${url}/gallery" enctype="text/plain"><input name="a"></form>
      <form id="form" method="post" target="frame" action="${url}/gallery"><input name="_csrf" value="a"></form>
      <form id="files" method="post" target="frame" action="${url}/gallery" enctype="multipart/form-data"><input name="a"></form>
      <img src="${url}/gallery"><script src="${url}/assets/x.js"></script>`),
  );
  const seen = await page.evaluate<string[]>(`(async () => {
    const there = ${JSON.stringify(url)};
    const tries = [
      () => fetch(there + '/gallery', { method: 'POST', mode: 'no-cors', body: '_csrf=a', credentials: 'include' }),
      () => fetch(there + '/gallery', { method: 'POST', mode: 'no-cors', body: new Blob(['{}'], { type: 'text/plain' }) }),
      () => fetch(there + '/gallery', { method: 'POST', mode: 'no-cors', body: new FormData() }),
      () => fetch(there + '/gallery', { method: 'PUT' }),
      () => fetch(there + '/gallery', { headers: { 'x-fragment': '1' } }),
      () => fetch(there + '/gallery', { mode: 'no-cors' }),
      () => fetch(there + '/events', { credentials: 'include' }),
    ];
    const seen = [];
    for (const one of tries) {
      await one().then((answer) => answer.type === 'opaque' || seen.push('seen ' + answer.status), () => undefined);
    }
    navigator.sendBeacon(there + '/gallery', 'x');
    await new Promise((done) => {
      const events = new EventSource(there + '/events');
      events.onmessage = () => seen.push('event');
      events.onerror = () => done(events.close());
    });
    for (const id of ['plain', 'form', 'files']) {
      document.getElementById(id).submit();
      await new Promise((done) => document.querySelector('iframe').addEventListener('load', done, { once: true }));
    }
    return seen;
  })()`);
  expect(seen).toEqual([]);
  expect(asked.length).toBeGreaterThan(8);
  expect(asked.filter((one) => !/ 40[35]$/.test(one))).toEqual([]);
});
