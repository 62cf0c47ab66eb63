/** The exit status after a fault of use or of the system, which one sentence on standard error explains, with what to do. */
export const FAULT_STATUS = 1;

/**
 * The exit status when a person has to act: on a problem of a line or file, a row that did not end well, a finding, or after a no at a
 * question.
 */
export const PROBLEMS_STATUS = 2;

/** The exit status when the time of `--deadline` is over. The same command, run again, continues. */
export const DEADLINE_STATUS = 3;
