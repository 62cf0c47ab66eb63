import type { TaskName } from '../../src/schedule/schedule.ts';

/** One run of a task of the schedule. */
export type Night = {
  /** Names the moment for which it was due, such as `2026-11-22T01:30:00.000Z`: a run that goes on where another died has the same. */
  id: string;
  atMs: number;
  /** Who acts: `nightly`, or who asked for it. */
  by: string;
  /** Aborted when the process stops: the run ends soon, and goes on elsewhere or later. */
  signal: AbortSignal;
};

/** What came of a run. */
export type NightResult = {
  is: 'well' | 'findings' | 'failed';
  /** One sentence for people. */
  words: string;
  /** Id of its report, where it made one. */
  report?: string;
};

/** What the schedule may name. Each run is told in the audit trail; one that dies is run again with the same id. */
export type NightlyTask = {
  name: TaskName;
  /** What it does, in a few words. */
  words: string;
  /** It writes its own entries about what it did, so that a look each minute at nothing is none. Others have one before and one behind. */
  auditsItself?: true;
  /**
   * Runs it. Whoever stops since `signal` says so throws, and is run again: what it returns counts as the end of the night. Two runs of
   * one night at the same moment must do no harm: a process that stood still for long may wake beside the one that took over.
   */
  run: (night: Night) => Promise<NightResult>;
};
