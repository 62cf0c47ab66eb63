import type { CallKind } from '../../call-kind.ts';
import type { AskedFor } from '../approvals/approval-look.ts';
import type { Elsewhere } from '../plans/plan.ts';
import type { Step } from '../schema/row.ts';

/** A row with a person's answer. Without `made`, its call is sent again. */
export type ResolvedRow = {
  line: number;
  /** The name of the line's file, as in the column `import` of results. */
  import: string;
  row: string;
  step: Step;
  name: string;
  requested_limit: string;
  made?: string;
  /** The status of an answer that says that something was made, but could not be read. Only where the call is to be sent again. */
  answered?: number;
};

/** Answers about held rows, from a file or from a page, and their effects. People see the plan before they confirm it. */
export type HeldPlan = {
  id: string;
  /** The portfolio of the answers; undefined for answers from a page, which may be about rows of several portfolios. */
  portfolio: string | undefined;
  /** The name of the file with the answers; left out for answers from a page. */
  fileName?: string | undefined;
  /** The SHA-256 of that file. */
  sha256?: string | undefined;
  /** The page to return to after answers from a page. */
  back?: string | undefined;
  /** The answers in their order. Each has the kind of call, when it was sent, in ms, if that is known, and a warning about a strange id. */
  of: (ResolvedRow & {
    kind: CallKind;
    sentMs: number | undefined;
    heldMs: number;
    currency: string | undefined;
    strange: string | undefined;
  })[];
  /** Held rows of other portfolios that the answers release. */
  elsewhere: Elsewhere[];
  /** The paused ones among the rows' portfolios. Their rows are sent only after somebody resumes them. */
  paused: string[];
  /** The portfolios in which another person has to approve these answers first, and why, in words. */
  approvals: { portfolio: string; why: string }[];
  /** The number of lines without an answer. */
  silent: number;
  /** Answers left out, since their rows were answered, or sent again, after the person looked. */
  late: number;
  /** Problems by line of the file, or by place among the answers. A plan with problems cannot be confirmed. */
  problems: { at: number; message: string }[];
};

/**
 * The result of a confirmation. `done`: how many calls were answered, and of their rows; `waits`: the answers that need another person's
 * approval first, by portfolio. `changed`: nothing was done, the plan differs by now. `unknown`: there is no such plan.
 */
export type HeldPlanConfirmed =
  | { is: 'done'; resolution: { calls: number; rows: number; waits: AskedFor[] }; plan: HeldPlan }
  | { is: 'changed'; plan: HeldPlan }
  | { is: 'unknown' };
