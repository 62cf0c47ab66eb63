import { createServer } from 'node:http';
import { expect } from 'vitest';
import { openBrowser, testInBrowser } from '../browser.ts';
import { portOf } from '../tls-service.ts';
import { expectKeyboardReach, expectNoSidewaysScroll, expectNoViolations, tabTo } from './expectations.ts';

/** These tests show that the checks for browser tests find faults. */

const GOOD = `<!doctype html><html lang="en"><head><title>Good</title></head><body><main><h1>Good</h1>
  <p><a href="/other">Other</a> <button type="button">Press</button></p></main></body></html>`;

testInBrowser('a page without faults passes all checks, in the dark and at 320 px', async () => {
  const { page } = await openBrowser({ width: 320, dark: true });
  await page.goto(await serve(GOOD));
  await expectNoViolations(page);
  await expectNoSidewaysScroll(page);
  await expectKeyboardReach(page);
  await tabTo(page, page.getByRole('button'));
});

testInBrowser.each([
  ['forbidden by the content policy', '<script>document.title = 1</script>'],
  ['forbidden by the content policy', '<p style="color: red">red</p>'],
  ['forbidden by the content policy', '<img src="http://example.com/a.png" alt="a">'],
  ['asked elsewhere', '<a href="http://example.com/" id="away">away</a>'],
  ['script failed', '<script src="/throws.js"></script>'],
  ['console: Failed to load resource', '<img src="/nothing" alt="nothing">'],
  ['request failed', '<img src="/broken" alt="broken">'],
  ["a window of the browser's own", '<script src="/alerts.js"></script>'],
])('a fault in a page is reported: %s %s', async (said, body) => {
  const { page, faults, expectFault } = await openBrowser();
  expectFault(/never said/);
  await page.goto(await serve(body));
  const away = page.locator('#away');
  if ((await away.count()) > 0) await away.click({ noWaitAfter: true }).catch(() => undefined);
  await expect.poll(faults).toContainEqual(expect.stringContaining(said));
  expectFault(/./);
});

testInBrowser('the checks report elements that not everybody can use', async () => {
  const { page } = await openBrowser({ width: 320 });
  await page.goto(
    await serve('<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><table width="900"><td>wide</table>'),
  );
  await expect(expectNoViolations(page)).rejects.toThrow('image-alt');
  await expect(expectNoSidewaysScroll(page)).rejects.toThrow('px wide');
  await page.goto(await serve('<button tabindex="-1">Never</button><a href="/">Reached</a>'));
  await expect(expectKeyboardReach(page)).rejects.toThrow('BUTTON Never');
});

/** Serves one page with a content policy like the console's. */
async function serve(body: string): Promise<string> {
  const scripts: Record<string, string> = { '/throws.js': 'throw new Error("oh")', '/alerts.js': 'alert(1)' };
  const server = createServer((request, response) => {
    const { url = '/' } = request;
    if (url === '/broken') return void request.socket.destroy();
    const script = scripts[url];
    response.statusCode = url === '/nothing' ? 404 : 200;
    response.setHeader('content-type', script ? 'text/javascript' : 'text/html; charset=utf-8');
    const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:";
    response.setHeader('content-security-policy', policy);
    response.end(script ?? (url === '/favicon.ico' ? '' : body));
  });
  return `http://127.0.0.1:${await portOf(server)}/`;
}
