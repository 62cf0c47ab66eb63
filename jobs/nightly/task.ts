import type { TaskName } from '../../src/schedule/schedule.ts';

export type Night = {
  /** The scheduled time, such as `2026-11-22T01:30:00.000Z`. A run that continues after a crash has the same id. */
  id: string;
  atMs: number;
  /** `nightly`, or the person who asked for the run. */
  by: string;
  /** Aborted when the process stops: the run must end soon, and is continued elsewhere or later. */
  signal: AbortSignal;
};

/** The result of a run. */
export type NightResult = {
  is: 'well' | 'findings' | 'failed';
  /** One sentence for people. */
  words: string;
  /** The id of its report, if it made one. */
  report?: string;
};

/** A task that the schedule may name. Each run is in the audit trail; after a crash it is run again with the same id. */
export type NightlyTask = {
  name: TaskName;
  /** A short description. */
  words: string;
  /** Writes its own audit entries, so that runs without effect write none. Other tasks get one before and one after. */
  auditsItself?: true;
  /**
   * Runs the task. When stopped by `signal` it must throw, and is run again later; returning ends the night. Two runs of one
   * night at the same time must do no harm: a process that was suspended may wake up beside its successor.
   */
  run: (night: Night) => Promise<NightResult>;
};
