import type { Reporter, TestModule } from 'vitest/node';
import { chromiumPath } from './browser/chromium-path.ts';

/** Files whose tests are skipped without a browser. */
const USES_BROWSER = /\/test\/(browser|support\/browser)\//;

const UNTRIED = `THE TESTS IN A BROWSER DID NOT RUN: there is no Chromium.
Install one (on Debian and Ubuntu: sudo apt-get install chromium-headless-shell, or chromium), or name it in CHROMIUM_PATH.`;

/** Prints `N passed, N failed`, and `, N skipped` if some were, after vitest's own summary. CI reads this line. */
export default class LastLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let [passed, failed, skipped, untried] = [0, unhandledErrors.length, 0, false];
    for (const module of modules) {
      // A file that cannot be loaded has no tests, and counts as a failure.
      if (module.state() === 'failed' && module.children.size === 0) failed += 1;
      for (const { result } of [...module.children.allTests()].map((testCase) => ({ result: testCase.result() }))) {
        if (result.state === 'passed') passed += 1;
        if (result.state === 'failed') failed += 1;
        if (result.state === 'skipped') skipped += 1;
        untried ||= result.state === 'skipped' && chromiumPath() === undefined && USES_BROWSER.test(module.moduleId);
      }
    }
    process.once('exit', () => {
      if (untried) console.log(UNTRIED);
      console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
    });
  }
}
