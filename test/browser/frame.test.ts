import { expect } from 'vitest';
import { addEvents } from '../../src/console/events/add-events.ts';
import { html } from '../../src/console/html/html.ts';
import { expectKeyboardReach, expectNoSidewaysScroll, expectNoViolations } from '../support/browser/expectations.ts';
import { keepScreenshot, openBrowser, testInBrowser } from '../support/browser.ts';
import { openBareConsole, STRIP } from '../support/marked-console.ts';

testInBrowser('every component of a page is accessible in both themes, on a phone and by keyboard', async () => {
  const { url } = await openBareConsole({
    strip: async () => ({ ...STRIP, standIn: true, stops: ['Sending waits.'] }),
  });
  const { page } = await openBrowser();
  await page.goto(`${url}/gallery`);
  await expectNoViolations(page);
  await expectKeyboardReach(page);
  await keepScreenshot(page, 'parts-light');
  const { page: small } = await openBrowser({ width: 320, height: 640, dark: true });
  await small.goto(`${url}/gallery`);
  await expectNoViolations(small);
  await expectNoSidewaysScroll(small);
  await expectKeyboardReach(small);
  await keepScreenshot(small, 'parts-phone-dark');
});

testInBrowser('a form of the console is accepted, with script and without', async () => {
  const { url } = await openBareConsole();
  for (const script of [true, false]) {
    const { page } = await openBrowser({ script });
    await page.goto(`${url}/gallery`);
    await page.getByLabel('Name').fill('<img src=x>');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => page.textContent('main')).toContain('q4 {"name":"<img src=x>"');
  }
});

testInBrowser('a page is updated live without losing focus, typed text or an open dialog', async () => {
  let count = 1;
  const { url } = await openBareConsole({
    pages: (app, hub) => {
      const figures = () => html`<a href="/keys" id="link">${count}</a><input aria-label="Field" value="${count}">`;
      app.get('/live', async (_request, reply) =>
        reply.page({
          title: 'Live',
          events: '/live/events',
          body: html`<h1>Live</h1><div id="figures">${figures()}</div><p id="beside"></p>`,
        }),
      );
      const frame = async () => [
        { id: 'figures', html: figures() },
        { id: 'beside', html: html`${count}` },
      ];
      addEvents(app, hub, { url: '/live/events', key: () => '', frame });
    },
  });
  const { page } = await openBrowser();
  await page.goto(`${url}/live`);
  await page.focus('#link');
  count = 2;
  await expect.poll(() => page.textContent('#link')).toBe('2');
  expect(await page.evaluate('document.activeElement.id')).toBe('link');
  await page.getByLabel('Field').fill('mine');
  count = 3;
  await expect.poll(() => page.textContent('#beside')).toBe('3');
  expect(await page.getByLabel('Field').inputValue()).toBe('mine');

  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('?');
  await expect.poll(() => page.getByRole('dialog', { name: 'Keyboard' }).isVisible()).toBe(true);
  await expectNoViolations(page);
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
});

testInBrowser('a hidden tab closes its stream, and opens it again when shown', async () => {
  const seen: { watchers: () => number } = { watchers: () => 0 };
  const { url } = await openBareConsole({
    pages: (_app, hub) => {
      seen.watchers = hub.watchers;
    },
  });
  const { page } = await openBrowser();
  const hide = (state: 'hidden' | 'visible') =>
    page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${state === 'hidden'}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);
  await page.goto(`${url}/gallery`);
  await expect.poll(() => seen.watchers()).toBe(1);
  await hide('hidden');
  await expect.poll(() => seen.watchers()).toBe(0);
  await hide('visible');
  await expect.poll(() => seen.watchers()).toBe(1);
});

testInBrowser('without event streams a page polls for updates, and it reports when the console is gone', async () => {
  let workers = 1;
  const { url, web } = await openBareConsole({ strip: async () => ({ ...STRIP, workers }) });
  const { page, expectFault } = await openBrowser();
  expectFault(/events/);
  await page.addInitScript('delete window.EventSource');
  await page.goto(`${url}/gallery`);
  workers = 7;
  await expect.poll(() => page.textContent('#strip')).toContain('7 workers seen');
  await web.close();
  await expect.poll(() => page.getByText('The console does not answer any more').isVisible()).toBe(true);
});
