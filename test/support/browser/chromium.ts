import { type Browser, chromium } from 'playwright-core';
import { chromiumPath } from './chromium-path.ts';

/** Nothing is looked up or fetched from elsewhere, and what tries to finds nothing. */
const ARGS = ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost', '--disable-gpu'];

const LAUNCH_LIMIT_MS = 60_000;

let running: Promise<Browser> | undefined;

/** The one browser of this process, started when it is first needed; it ends with the process. */
export function startChromium(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error('There is no Chromium: begin such tests with testInBrowser.');
  // In the locale C it opens no file whose name has other letters, and an upload waits for ever.
  const env = { ...process.env, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' };
  running ??= chromium.launch({ executablePath, args: ARGS, timeout: LAUNCH_LIMIT_MS, env });
  return running;
}
