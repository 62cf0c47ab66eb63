import type { CallKind } from '../../call-kind.ts';
import type { CallRecord } from '../../outcome.ts';
import { type RowId, STATES, type StateTrait } from './schema.ts';

export type RowState = keyof typeof STATES;
type StateThat<M extends StateTrait> = { [S in RowState]: M extends keyof (typeof STATES)[S] ? S : never }[RowState];

/** Every state, in the order in which they are told. */
export const ROW_STATES = Object.keys(STATES) as RowState[];

/** What a row goes through, in this order. */
export const STEPS = statesThat('isStep');
export type Step = StateThat<'isStep'>;

/** The kind of the calls that a step makes. */
export const KIND_OF: Readonly<Record<Step, CallKind>> = { company: 'company', documents: 'document', limit: 'limit' };

/** Whether a row in this state is in progress. */
export function isStep(state: string): state is Step {
  return is('isStep', state);
}

/** The states in which something is still to be done for a row. */
export const OPEN_STATES = statesThat('isOpen');

/** The states that keep a portfolio from being finished: rows that are open, and those that wait for another person's approval. */
export const UNFINISHED_STATES = [...OPEN_STATES, ...statesThat('isWaiting')] as const;

/** The states of rows of which it is known what became of them. A held row needs an answer first, though nothing of it goes on. */
export const SETTLED_STATES: readonly RowState[] = ROW_STATES.filter(
  (state) => !isUnfinished(state) && !is('isHeld', state),
);

/** The states of rows whose limit was made. */
export const GRANTED_STATES = statesThat('isGranted');

/** Whether this holds of a state, as {@link STATES} has it. */
export function is<M extends StateTrait>(mark: M, state: string): state is StateThat<M> {
  return Object.hasOwn(STATES, state) && mark in STATES[state as RowState];
}

/** The states of which this holds, in their order. */
export function statesThat<M extends StateTrait>(mark: M): readonly StateThat<M>[] {
  return ROW_STATES.filter((state) => is(mark, state));
}

/** Whether rows in this state keep their portfolio from being finished. */
export function isUnfinished(state: string): state is (typeof UNFINISHED_STATES)[number] {
  return is('isOpen', state) || is('isWaiting', state);
}

/** How many rows are in these states. */
export function rowsIn(states: Readonly<Partial<Record<RowState, number>>>, wanted: readonly RowState[]): number {
  return wanted.reduce((sum, state) => sum + (states[state] ?? 0), 0);
}

/** A document as the row names it; its content is in the data folder under its digest. */
export type RowDocument = { name: string; mediaType: string; sizeBytes: number; sha256: string };

/** What a line asked for, as it is kept for the steps. Amounts are decimal text. */
export type RowRequest = {
  name: string;
  buyer: string;
  /** The company call's body; left out where the line gave the company's id. */
  company?: Record<string, unknown>;
  companyId?: string;
  documents: RowDocument[];
  limit: Record<string, unknown> & { requested_limit: string };
};

/**
 * Why a row is where it is, for people: the step, the sentence, and what the service said, as it came. Of a call whose
 * outcome is unknown also what was sent.
 */
export type RowProblem = { step: Step; message: string; status?: number; body?: string; sent?: string };

/** What a worker finds when it takes up a row. `revision` names the words that it found. */
export type RowAtStep = {
  state: RowState;
  revision: string;
  request: RowRequest;
  companyId: string;
  documentIds: string[];
  problem: RowProblem | undefined;
};

/**
 * What an import did with a line's row: `added`, `renewed` and `open` ones need a job, `ended` ones do not, and a `changed`
 * one was sent with other words, which it keeps. `other`, `again` and `closed` say that nothing was done: the name is that of
 * another buyer's request, which was not sent; or see {@link Replacing}; or the approval is open no longer, and the import
 * begins another.
 */
export type PutAnswer = 'added' | 'renewed' | 'open' | 'ended' | 'changed' | 'other' | 'again' | 'closed' | 'declined';

/**
 * Which row a line replaces, and what somebody has seen of its buyer before deciding so: how many requests there were. Where
 * that is no longer so, the line is not brought in, and `again` is the answer. `takes` is another buyer, whose unsent request
 * of the same name the line is meant to correct. `approval` is the one that the import's rows wait for, where one is asked for.
 * `statements` is the date of the line's statements, YYYY-MM-DD, where advice goes by it: kept beside the request, and no part of it.
 */
export type Replacing = {
  seen?: number;
  key?: string;
  problem?: RowProblem;
  takes?: string | undefined;
  approval?: string | undefined;
  statements?: string | undefined;
};

/**
 * What became of cancelling a row: done, not needed, or not yet, since its call is under way, or was when its sender vanished. One
 * that only waited to be sent again is what it was before (`restored`).
 */
export type CancelAnswer = 'cancelled' | 'restored' | 'nothing' | 'under way' | 'left';

/** The states of rows that a person may give up: those that are open or wait for an approval, and those that the service refused. */
export type GivenUpFrom = (typeof UNFINISHED_STATES)[number] | 'refused';

/** A row in the index of its state. */
export type IndexedRow = { row: RowId; line: number; step: Step };

/** What a step writes into the row it moves on. */
export type RowFields = {
  company?: string;
  documents?: string[];
  limit?: string;
  record?: CallRecord;
  problem?: RowProblem;
  /** Whether the service itself answered at this step, and not the ledger for it: what the canary goes by. Or answered another's request. */
  answered?: boolean | 'not ours';
};

/** What became of a row so far: what a results file shows. */
export type RowResult = {
  state: RowState;
  step: Step;
  line: number;
  /** The number of the import that the line is of: the last one that had the row. */
  importId: string;
  /** Whether another row stands in its place, or a file that replaces the others lacks its line. */
  replaced: boolean;
  request: RowRequest;
  companyId: string;
  documentIds: string[];
  limitId: string;
  record: CallRecord;
  problem: RowProblem | undefined;
  /** Id of the cause for which it failed: of a row that is refused or held. */
  cause: string | undefined;
  /** Id of the approval that it waits for, or has; nothing where none was ever asked for. */
  approval: string | undefined;
  /** Of one that waits and was not new: what it was, and what somebody who looked at `asOf` says became of its call `of`: an id, or `resend`. */
  awaits: { was: RowState; answer: string; of?: string; asOf?: number } | undefined;
  /** Date of the statements that its line gave last, YYYY-MM-DD, where the amount is one that advice goes by. */
  statements: string | undefined;
  /** What was made twice for it: the id that it goes by, and the other. */
  again: { id: string; again: string } | undefined;
  /** How many nights it went again by rules with the words that it has, and for which moment last, in ms. */
  atNight?: { nights: number; lastMs: number };
  /** How often its portfolio had been given up when it was last brought in or sent again; nothing for never. */
  generation?: number;
  updatedMs: number;
};

/** What a person reads of a limit whose answer differs from what was sent; '' where it does not. */
export function answeredOtherwise({ differs }: CallRecord): string {
  return differs ? `The service's answer differs from what was sent: ${differs}` : '';
}

/** What a line asks of the service for its buyer: what may not change once it was sent. */
export function askedOf({ buyer, limit }: RowRequest): string {
  return JSON.stringify([buyer, limit]);
}

/** The step at which a row begins: one with nothing to do is passed over. */
export function stepAfter(request: RowRequest, step?: Step): Step {
  if (step === undefined && request.companyId === undefined) return 'company';
  if ((step === undefined || step === 'company') && request.documents.length > 0) return 'documents';
  return 'limit';
}

/** What a move of a row is told of the plan that it is a part of: rows that changed at `beforeMs` or later stay as they are. */
export type PartOfPlan = { plan: string; beforeMs: number };

/** How a row goes at night: by which rule, in which night, which night of its own that is, of how many; and when a rule last named its portfolio, or 0. */
export type AtNight = { rule: string; nightMs: number; night: number; of: number; namedMs: number };

/**
 * Two runs that are closer than this are one night, however often the schedule says so and whoever asks for a run besides: a row goes
 * once in them. The moments of two nights are 23 hours apart at least, where the clock is put on. Lua knows it too (rare-moves.lua).
 */
export const ONE_NIGHT_MS = 12 * 3_600_000;

/** What the scripts are told of a row that goes at night, as rare-moves.lua reads it; '' of one that somebody sends. */
export function nightArg(night: AtNight | undefined): string {
  return night === undefined ? '' : `${night.rule} ${night.nightMs} ${night.of} ${night.namedMs}`;
}

/** What a row's story is told of its night. */
export function nightTold(night: AtNight | undefined): { rule?: string; night?: number; of?: number } {
  return night === undefined ? {} : { rule: night.rule, night: night.night, of: night.of };
}

/** The nights of a row, as rare-moves.lua writes them: none of those that it had with other words. */
export function nightsOf(text: string | undefined, revision = '0'): { nights: number; lastMs: number } | undefined {
  const [nights, lastMs, of] = text?.split(' ') ?? [];
  return of === revision ? { nights: Number(nights), lastMs: Number(lastMs) } : undefined;
}
