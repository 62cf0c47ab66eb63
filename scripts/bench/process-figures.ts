/** What a process says of itself when it ends. */
export type ProcessFigures = {
  /** The most memory that was resident at any one moment. */
  peakMemoryBytes: number;
  /** Processor time of all its threads, in user and in kernel mode. */
  cpuMs: number;
};

/** The file descriptor on which it says so: the first behind the standard three. */
export const FIGURES_FD = 3;
