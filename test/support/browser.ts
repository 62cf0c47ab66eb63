import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { chromiumPath } from './browser/chromium-path.ts';
import { OPENED } from './desk.ts';

/** Where the script in a page tells of what its content policy forbade. */
const TELL = 'limitlineTellsOfViolation';

/** Ends what a page had under way when it was left or let go: its streams, above all. */
const ENDED_BY_US = 'net::ERR_ABORTED';

/**
 * Notes whatever goes wrong in the pages of a context: errors of script, errors on its console, what the content policy
 * forbade, requests that failed, and any request that would have left this machine.
 *
 * @param onFault is told of each, as one line
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
    // Nothing here asks by such a window, and script from a cell or a file name is tried with one.
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

/** Nothing is looked up or fetched from elsewhere, and what tries to finds nothing. */
const ARGS = ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost', '--disable-gpu'];

const LAUNCH_LIMIT_MS = 60_000;

let running: Promise<Browser> | undefined;

/** The one browser of this process, started when it is first needed; it ends with the process. */
function startChromium(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error('There is no Chromium: begin such tests with testInBrowser.');
  // In the locale C it opens no file whose name has other letters, and an upload waits for ever.
  const env = { ...process.env, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' };
  running ??= chromium.launch({ executablePath, args: ARGS, timeout: LAUNCH_LIMIT_MS, env });
  return running;
}

/** A test that needs a browser. Where there is none it is skipped, and the last lines of the run say so. */
export const testInBrowser = test.skipIf(chromiumPath() === undefined);

/** Ignored by git, and kept: what pages look like is for people to see. */
const ARTEFACTS = join(import.meta.dirname, '../../artefacts');

/** One step in a page; a test's own limit is longer. */
const STEP_LIMIT_MS = 120_000;

export type Looks = {
  width?: number;
  height?: number;
  dark?: boolean;
  /** Whether script runs in its pages; every page works without. */
  script?: boolean;
  /** Its reader's language and time zone. */
  locale?: string;
  timezoneId?: string;
};

export type OpenBrowser = Awaited<ReturnType<typeof openBrowser>>;

/**
 * A browser of this test's own: no cookie but of consoles that the test opened without users, and nothing kept from others. When the test is over it is closed, and the test
 * fails where anything went wrong in a page: an error of script or on its console, anything that the content policy
 * forbade, a request that failed or would have left this machine.
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
    /** Faults that this test means to cause, such as the console's line for an answer of 409. */
    expectFault: (pattern: RegExp) => void expected.push(pattern),
    /** Those so far that were not expected. */
    faults: unexpected,
  };
}

/**
 * A page asks for its events again when its server ends, which may be before the browser does at the end of a test. A server that is
 * gone in the middle of one is met by whatever the test does next.
 */
const SERVER_GONE = /\/events\b.* net::ERR_|net::ERR_.*\/events\b/;

/** Keeps what a page looks like as `artefacts/<name>.png`, as far as it scrolls, where SCREENSHOTS=on: each takes a second to draw. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS !== 'on') return;
  await page.screenshot({ path: join(ARTEFACTS, `${name}.png`), fullPage: true });
}
