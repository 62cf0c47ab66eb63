import type { CallKind, CallRecord } from '../../call-kind.ts';
import { HOUR_MS } from '../../time-units.ts';
import { type RowId, STATES, type StateTrait } from './schema.ts';

export type RowState = keyof typeof STATES;
type StateThat<M extends StateTrait> = { [S in RowState]: M extends keyof (typeof STATES)[S] ? S : never }[RowState];

/** Every state of a row, in the order in which reports show them. */
export const ROW_STATES = Object.keys(STATES) as RowState[];

/** The steps of a row, in the order in which a row takes them. */
export const STEPS = statesThat('isStep');
export type Step = StateThat<'isStep'>;

export const KIND_OF: Readonly<Record<Step, CallKind>> = { company: 'company', documents: 'document', limit: 'limit' };

/** Whether this state is a step: its rows are being worked on. */
export function isStep(state: string): state is Step {
  return is('isStep', state);
}

/** States in which something is still to be done for a row, without a person. */
export const OPEN_STATES = statesThat('isOpen');

/** States that keep a portfolio from being finished: rows that are open, or wait for another person's approval. */
export const UNFINISHED_STATES = [...OPEN_STATES, ...statesThat('isWaiting')] as const;

/** States of rows whose outcome is known. A held row is not among them: a person has to find out. */
export const SETTLED_STATES: readonly RowState[] = ROW_STATES.filter(
  (state) => !isUnfinished(state) && !is('isHeld', state),
);

/** The states of rows whose limit was made. */
export const GRANTED_STATES = statesThat('isGranted');

/** Whether {@link STATES} gives a state this trait, such as `isOpen`. */
export function is<M extends StateTrait>(mark: M, state: string): state is StateThat<M> {
  return Object.hasOwn(STATES, state) && mark in STATES[state as RowState];
}

/** The states to which {@link STATES} gives this trait, in the order in which reports show them. */
export function statesThat<M extends StateTrait>(mark: M): readonly StateThat<M>[] {
  return ROW_STATES.filter((state) => is(mark, state));
}

/** Whether rows in this state keep their portfolio from being finished. */
export function isUnfinished(state: string): state is (typeof UNFINISHED_STATES)[number] {
  return is('isOpen', state) || is('isWaiting', state);
}

export function rowsIn(states: Readonly<Partial<Record<RowState, number>>>, wanted: readonly RowState[]): number {
  return wanted.reduce((sum, state) => sum + (states[state] ?? 0), 0);
}

/** A document that a row names; the data folder has its content under its digest. */
export type RowDocument = { name: string; mediaType: string; sizeBytes: number; sha256: string; purpose?: string };

/** What a line asks for, as kept for the steps. Amounts are decimal text. */
export type RowRequest = {
  name: string;
  buyer: string;
  /** Body of the company call; undefined if the line gave the company's id. */
  company?: Record<string, unknown>;
  companyId?: string;
  documents: RowDocument[];
  limit: Record<string, unknown> & { requested_limit: string };
};

/**
 * Why a row is in its state, for people: the step, a sentence, and the service's response as it came. If the outcome of a call is
 * unknown, `sent` is what was sent, and `body` an answer that was to another request. `sentFor`: the other row for which it was sent, if that
 * asks for something else.
 */
export type RowProblem = {
  step: Step;
  message: string;
  status?: number;
  body?: string;
  sent?: string;
  sentFor?: string;
};

/** A row as a worker takes it up. `revision` identifies the request that the worker read. */
export type RowAtStep = {
  state: RowState;
  revision: string;
  request: RowRequest;
  companyId: string;
  documentIds: string[];
  problem: RowProblem | undefined;
};

/**
 * What an import did with a line's row. `added`: the row is new. `renewed`: it goes again, or with this line's request. `open`: it has this
 * request already, and has not ended, or was refused while the import was under way. `ended`: the row needs no job, since it has
 * ended or is held. After the other answers, nothing was done. `changed`: the row was sent with a request that differs from the line's, and
 * keeps the one that was sent. `other`: the request reference is that of another buyer's unsent request. `again`: see {@link Replacing}.
 * `closed`: the approval is no longer open, and the import begins another. `declined`: a person declined the request, so it needs an
 * approval.
 */
export type PutAnswer = 'added' | 'renewed' | 'open' | 'ended' | 'changed' | 'other' | 'again' | 'closed' | 'declined';

/**
 * Options for a line that comes in. `key`: the row that the line replaces; `problem`: what that row shows from then on. `seen`: number of
 * the buyer's requests when the replacement was decided; if it differs by now, the line is not imported and the answer is `again`.
 * `takes`: another buyer whose unsent request of the same reference the line corrects. `approval`: the approval that the import's rows wait
 * for. `statements`: what is known of the line's financial statements, if advice depends on it; kept beside the request, and not part of
 * it. `began`: when the import began, in ms; without it, a row is renewed whenever it was refused.
 */
export type Replacing = {
  began?: number;
  seen?: number;
  key?: string;
  problem?: RowProblem;
  takes?: string | undefined;
  approval?: string | undefined;
  statements?: string | undefined;
};

/**
 * What cancelling a row did. `cancelled`; `restored`: it only waited to be sent again, and has its earlier state back; `nothing`: not
 * needed; `under way`: its call is in flight, or its limit was or may have been made; `left`: the process that sent its call vanished.
 */
export type CancelAnswer = 'cancelled' | 'restored' | 'nothing' | 'under way' | 'left';

/** States from which a person may give a row up: open, waiting for an approval, or refused by the service. */
export type GivenUpFrom = (typeof UNFINISHED_STATES)[number] | 'refused';

export type IndexedRow = { row: RowId; line: number; step: Step };

/** Fields that a step writes into the row that it moves on. */
export type RowFields = {
  company?: string;
  documents?: string[];
  limit?: string;
  record?: CallRecord;
  problem?: RowProblem;
  /**
   * Whether the service itself responded at this step, and not the ledger: only such responses count for a pause. `not ours`: the response
   * belongs to another request.
   */
  answered?: boolean | 'not ours';
};

/** The outcome of a row so far, as a results file shows it. */
export type RowResult = {
  state: RowState;
  step: Step;
  line: number;
  /** The number of the import to which `line` belongs: the last one that had the row. */
  importId: string;
  /** Whether another row replaces the row, or a replacing file lacks its line. */
  replaced: boolean;
  request: RowRequest;
  companyId: string;
  documentIds: string[];
  limitId: string;
  record: CallRecord;
  problem: RowProblem | undefined;
  /** Id of the cause of failure, if the row is refused or held. */
  cause: string | undefined;
  /** Id of the approval that the row waits for or has; undefined for none. */
  approval: string | undefined;
  /**
   * If the row waits for an approval and had a state before: that state `was`, and a person's `answer` (an id, or `resend`) to its call
   * `of`, as the person saw the call at `asOf`.
   */
  awaits: { was: RowState; answer: string; of?: string; asOf?: number } | undefined;
  /** What the row's line said last of its financial statements, if advice on the amount depends on it: their date, the amount's currency. */
  statements: string | undefined;
  /** If something was made twice for the row: the id that counts, and the other. */
  again: { id: string; again: string } | undefined;
  /** How many nights a rule sent the row again with its present request, and the due time of the last of them, in ms. */
  atNight?: { nights: number; lastMs: number };
  /** How often the row's portfolio had been given up when the row was last imported or sent again; undefined for never. */
  generation?: number;
  updatedMs: number;
  /** When the row's state or request changed last, in ms; a later decision about its limit changes only `updatedMs`. */
  sinceMs: number;
};

/** Words for people if the response to a limit call differs from the request; '' if it does not. */
export function answeredOtherwise({ differs }: CallRecord): string {
  return differs ? `The service's answer differs from what was sent: ${differs}` : '';
}

/** What a line asks of the service for its buyer, as text. It must not change once it was sent. */
export function askedOf({ buyer, limit }: RowRequest): string {
  return JSON.stringify([buyer, limit]);
}

/** The next step of a row after `step`, or its first one; steps with nothing to do are skipped. */
export function stepAfter(request: RowRequest, step?: Step): Step {
  if (step === undefined && request.companyId === undefined) return 'company';
  if ((step === undefined || step === 'company') && request.documents.length > 0) return 'documents';
  return 'limit';
}

/** The plan to which a move of a row belongs: rows that changed at `beforeMs` or later stay as they are. */
export type PartOfPlan = { plan: string; beforeMs: number };

/**
 * A nightly retry of a row: the rule, the due time of the night, the number of this night for the row, the most nights allowed, and when
 * the latest rule that names the row's portfolio was made (0 for none).
 */
export type AtNight = { rule: string; nightMs: number; night: number; of: number; namedMs: number };

/**
 * Runs closer together than this count as one night, in which a row is sent once, whatever the schedule says and whoever starts a run.
 * Two nights are at least 23 hours apart, when the clocks change. Lua has the same constant (rare-moves.lua).
 */
export const ONE_NIGHT_MS = 12 * HOUR_MS;

/** A nightly retry as rare-moves.lua reads it; '' for a row that a person sends. */
export function nightArg(night: AtNight | undefined): string {
  return night === undefined ? '' : `${night.rule} ${night.nightMs} ${night.of} ${night.namedMs}`;
}

/** The fields that a nightly retry adds to the row's history. */
export function nightFields(night: AtNight | undefined): { rule?: string; night?: number; of?: number } {
  return night === undefined ? {} : { rule: night.rule, night: night.night, of: night.of };
}

/** Reads the nights of a row, as rare-moves.lua writes them; undefined if they belong to another revision. */
export function nightsOf(text: string | undefined, revision = '0'): { nights: number; lastMs: number } | undefined {
  const [nights, lastMs, of] = text?.split(' ') ?? [];
  return of === revision ? { nights: Number(nights), lastMs: Number(lastMs) } : undefined;
}
