import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Whole runs against real servers: each waits most of its time, for up to a minute. */
const LONG = /\/test\/(?:faults|e2e|pace|docs|redis|scripts\/bench)\//;

/**
 * The share of other tests that runs beside the long ones. The rest is short, so that no long test runs alone at the
 * end.
 */
const BESIDE = 0.6;

/**
 * Runs tests that mostly wait beside tests that compute, because five of one kind at a time leave a core idle or
 * overload it. Within each kind, the longest tests come first. vitest knows no durations in a fresh clone and sorts by
 * file size, which says nothing about duration.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const alone = sorted.filter(isAlone);
    const long = sorted.filter((file) => !isAlone(file) && LONG.test(file.moduleId));
    const others = sorted.filter((file) => !isAlone(file) && !LONG.test(file.moduleId));
    const place = (at: number) => Math.floor((at * others.length * BESIDE) / long.length);
    const mixed = long.flatMap((file, at) => [file, ...others.slice(place(at), place(at + 1))]);
    return [...alone, ...mixed, ...others.slice(long.length === 0 ? 0 : place(long.length))];
  }
}

/** Tests with a process of their own stay together, before all others. */
function isAlone({ project }: TestSpecification): boolean {
  return project.name === 'alone';
}
