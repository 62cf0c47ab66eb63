import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Whole runs against real servers: each waits for others most of its time, for up to a minute. */
const LONG = /\/test\/(?:faults|e2e|pace|docs|redis|scripts\/bench)\//;

/** How much of the others goes beside the long ones; what is left is short, so that none of the long ones runs alone at the end. */
const BESIDE = 0.6;

/**
 * Puts tests that wait for others most of their time beside those that compute, since five of one kind at a time leave a core idle
 * or crowd it. Of each kind the longest go first. vitest itself knows no durations in a fresh clone, and goes by the
 * sizes of files there, which tell nothing.
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

/** Those that have a process of their own stay together, before all others. */
function isAlone({ project }: TestSpecification): boolean {
  return project.name === 'alone';
}
