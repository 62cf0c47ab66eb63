import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { chromiumPath } from './browser/chromium-path.ts';
import { OPENED } from './desk.ts';

/** The function by which a script in a page reports violations of its content policy. */
const TELL = 'limitlineTellsOfViolation';

/** The error of requests that end when a page is left or closed, mostly of event streams. */
const ENDED_BY_US = 'net::ERR_ABORTED';

/**
 * Watches the pages of a context for faults: script errors, console errors, violations of the content policy, failed
 * requests, and requests that would have left this machine.
 *
 * @param onFault receives each fault as one line
 */
async function watchForFaults(context: BrowserContext, onFault: (fault: string) => void): Promise<void> {
  await context.exposeBinding(TELL, (_source, what: string) => onFault(`forbidden by the content policy: ${what}`));
  await context.addInitScript(`document.addEventListener('securitypolicyviolation', (event) => {
    ${TELL}(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample + ' at ' + document.URL);
  })`);
  context.on('request', (request) => {
    if (!isHere(request.url())) onFault(`asked elsewhere: ${request.method()} ${request.url()}`);
  });
  context.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? '';
    if (why !== ENDED_BY_US) onFault(`request failed: ${request.method()} ${request.url()} ${why}`);
  });
  context.on('weberror', (error) => onFault(`script failed: ${error.error().stack ?? error.error().message}`));
  context.on('console', (message) => {
    if (message.type() === 'error') onFault(`console: ${message.text()} at ${message.location().url}`);
  });
  const onPage = (page: Page) => {
    page.on('crash', () => onFault(`page crashed: ${page.url()}`));
    // The console opens no such window. A test of scripts in cells and file names tries to.
    page.on('dialog', (dialog) => {
      onFault(`a window of the browser's own: ${dialog.type()} ${dialog.message()}`);
      void dialog.dismiss();
    });
  };
  context.on('page', onPage);
}

function isHere(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return ['data:', 'blob:', 'about:'].includes(protocol) || ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
}

/** No host but this machine can be resolved, so pages load nothing from elsewhere. */
const ARGS = ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost', '--disable-gpu'];

const LAUNCH_LIMIT_MS = 60_000;

let running: Promise<Browser> | undefined;

/** The browser of this process, which starts when it is first needed and ends with the process. */
function startChromium(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error('There is no Chromium: begin such tests with testInBrowser.');
  // In the locale C, the browser cannot open files whose names have non-ASCII letters, and an upload never ends.
  const env = { ...process.env, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' };
  running ??= chromium.launch({ executablePath, args: ARGS, timeout: LAUNCH_LIMIT_MS, env });
  return running;
}

/** A test that needs a browser. Without a browser it is skipped, and the last lines of the run report that. */
export const testInBrowser = test.skipIf(chromiumPath() === undefined);

/** Kept and ignored by git: screenshots for people. */
const ARTEFACTS = join(import.meta.dirname, '../../artefacts');

/** The limit of one step in a page; the limit of a test is longer. */
const STEP_LIMIT_MS = 120_000;

export type Looks = {
  width?: number;
  height?: number;
  dark?: boolean;
  /** Whether pages may run scripts; every page works without. */
  script?: boolean;
  /** The language and time zone of the reader. */
  locale?: string;
  timezoneId?: string;
};

export type OpenBrowser = Awaited<ReturnType<typeof openBrowser>>;

/**
 * A new browser for this test. It has no cookies except those of consoles without users that the test opened. At the
 * end of the test it is closed, and the test fails if a page had a fault: a script error, a console error, a violation
 * of the content policy, a failed request, or one that would have left this machine.
 */
export async function openBrowser(given: Looks = {}) {
  const { width = 1280, height = 800, dark = false, script = true, locale = 'en-GB', timezoneId = 'UTC' } = given;
  const browser = await startChromium();
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    javaScriptEnabled: script,
    acceptDownloads: true,
    locale,
    timezoneId,
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(STEP_LIMIT_MS);
  await context.addCookies([...OPENED].map(([url, cookie]) => ({ ...cookie, url, sameSite: 'Strict' as const })));
  const faults: string[] = [];
  const expected: RegExp[] = [];
  await watchForFaults(context, (fault) => faults.push(fault));
  const unexpected = () => faults.filter((fault) => ![...expected, SERVER_GONE].some((pattern) => pattern.test(fault)));
  onTestFinished(async () => {
    await context.close();
    expect(unexpected(), 'what went wrong in the browser').toEqual([]);
  });
  return {
    context,
    /** The first tab. */
    page: await context.newPage(),
    /** Another tab of the same person. */
    tab: () => context.newPage(),
    /** Expects faults that the test causes, such as the console message for an answer of 409. */
    expectFault: (pattern: RegExp) => void expected.push(pattern),
    /** The unexpected faults so far. */
    faults: unexpected,
  };
}

/**
 * A page requests its events again when its server ends, which may be before the browser ends with the test. If the
 * server disappears in the middle of a page, the next step of the test fails anyway.
 */
const SERVER_GONE = /\/events\b.* net::ERR_|net::ERR_.*\/events\b/;

/** With SCREENSHOTS=on, stores the whole page as `artefacts/<name>.png`. Each screenshot takes a second. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS !== 'on') return;
  await page.screenshot({ path: join(ARTEFACTS, `${name}.png`), fullPage: true });
}
