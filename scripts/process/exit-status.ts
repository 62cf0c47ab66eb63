/** A fault of use or of the system: one sentence on standard error, with what to do about it. */
export const FAULT_STATUS = 1;

/** Something needs a person: a line or the file has a problem, a row did not end well, a finding, or a "no" at a question. */
export const PROBLEMS_STATUS = 2;

/** A command that was given a time (`--deadline`) and needs more; what is left is there for the next. */
export const DEADLINE_STATUS = 3;
