import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Whole runs against real servers: each waits for others most of its time, for up to a minute. */
const LONG = /\/test\/(?:faults|e2e|pace|docs|redis|scripts\/bench)\//;

/**
 * Begins with the files that take longest, so that none of them runs alone at the end. vitest itself does so from the
 * second run on; in a fresh clone it knows no durations yet, and goes by the sizes of files, which tell nothing.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

/** Those that have a process of their own stay together, before all others. */
function rank({ project, moduleId }: TestSpecification): number {
  if (project.name === 'alone') return 0;
  return LONG.test(moduleId) ? 1 : 2;
}
