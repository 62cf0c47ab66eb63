import type { CallKind } from '../../../src/call-kind.ts';
import type { ApprovalStanding } from '../../../src/ledger/schema/approval.ts';
import type { RowState, Step } from '../../../src/ledger/schema/row.ts';

export type ModelRow = {
  state: RowState;
  step: Step;
  line: number;
  name: string;
  company: string;
  revision: number;
  /** How often its portfolio had been cancelled when it was brought in or sent again. */
  generation: number;
  /** The row in whose favour it was cancelled; '' where a file that replaces the others lacks its line. */
  replaced?: string | undefined;
  /** The approval that it has, or waits for. */
  approval?: string | undefined;
  /** Step and revision at which its call was refused, until somebody has ended it by that. */
  refusal?: string | undefined;
  /** Of one that waits and was not new. */
  was?: Pick<ModelRow, 'state' | 'approval' | 'replaced'> | undefined;
};

export type ModelApproval = {
  portfolio: string;
  kind: 'import' | 'retry' | 'answer';
  standing: ApprovalStanding;
  author: string;
  /** Whether a person said no to something in it before: it waits in any case. */
  isRedone?: boolean;
  /** What it was when it was answered, and which of all answers that was, from 1. */
  answered?: { rows: number; by?: string; turn?: number } | undefined;
};

/** One send: of which process, for which row and thing. Its fate is known early when a person found out. */
export type Attempt = {
  process: string;
  portfolio: string;
  key: string;
  step: Step;
  revision: number;
  thing: string;
  fate: 'open' | 'made' | 'not made';
};

export type ModelCall = {
  state: 'claimed' | 'unknown' | 'made';
  owner: Attempt;
  id: string;
  row: string;
  doubted?: boolean;
} & Doubts;

/** Sends that are in doubt, and how many "resend" has to make up for. */
type Doubts = { open: number; doubts: number };

export type ModelPortfolio = {
  paused: boolean;
  /** How often it was cancelled. */
  cancels: number;
  /** What its import brings rows in with, while approval is asked for. */
  approval?: string | undefined;
  /** Its rows in whose place others stand. */
  replaced: number;
  canary: Partial<Record<Step, string>>;
  statuses: number;
  calls: Record<CallKind | 'throttled', number>;
};

export function noteDoubt(call: ModelCall): void {
  call.state = 'unknown';
  call.open += 1;
  call.doubts += 1;
}

export function noteRefusal(row: ModelRow | undefined, { step, revision }: Attempt): void {
  const isAt = row?.state === step || (row?.state === 'held' && row.step === step);
  if (isAt) row.refusal = `${step} ${revision}`;
}

/** So many first answers of a step that are all refusals pause the portfolio. */
export function watchCanary(portfolio: ModelPortfolio, step: Step, answer: 'ok' | '422' | '', refusals: number): void {
  const { canary } = portfolio;
  if (answer === '' || canary[step] === 'ok') return;
  const count = Number(canary[step] ?? 0) + 1;
  canary[step] = answer === 'ok' ? 'ok' : String(count);
  if (answer !== 'ok' && count >= refusals) portfolio.paused = true;
}

export function newPortfolio(): ModelPortfolio {
  return {
    paused: false,
    cancels: 0,
    replaced: 0,
    canary: {},
    statuses: 0,
    calls: { company: 0, document: 0, limit: 0, throttled: 0 },
  };
}

export function kindOf(step: Step): CallKind {
  return step === 'documents' ? 'document' : step;
}

export function isOpen(state: RowState): boolean {
  return ['queued', 'company', 'documents', 'limit'].includes(state);
}
