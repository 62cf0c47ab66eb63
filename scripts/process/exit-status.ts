/** A fault of use or of the system, with one sentence on standard error that says what to do. */
export const FAULT_STATUS = 1;

/** A person has to act: a problem of a line or file, a row that did not end well, a finding, or a no at a question. */
export const PROBLEMS_STATUS = 2;

/** The time of `--deadline` is over. The same command, run again, continues. */
export const DEADLINE_STATUS = 3;
