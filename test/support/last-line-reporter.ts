import type { Reporter, TestModule } from 'vitest/node';

/** Prints `N passed, N failed` behind vitest's own summary: what CI reads. */
export default class LastLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let [passed, failed] = [0, unhandledErrors.length];
    for (const module of modules) {
      // A file that cannot even be loaded has no tests, and fails all the same.
      if (module.state() === 'failed' && module.children.size === 0) failed += 1;
      for (const { result } of [...module.children.allTests()].map((testCase) => ({ result: testCase.result() }))) {
        if (result.state === 'passed') passed += 1;
        if (result.state === 'failed') failed += 1;
      }
    }
    process.once('exit', () => console.log(`${passed} passed, ${failed} failed`));
  }
}
