import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { startChromium } from './browser/chromium.ts';
import { chromiumPath } from './browser/chromium-path.ts';
import { watchForFaults } from './browser/faults.ts';
import { OPENED } from './console.ts';

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
export async function openBrowser({
  width = 1280,
  height = 800,
  dark = false,
  script = true,
  locale = 'en-GB',
  timezoneId = 'UTC',
}: Looks = {}) {
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
