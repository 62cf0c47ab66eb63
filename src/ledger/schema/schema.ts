/**
 * The fields of a row and the arguments of the ledger's scripts, each defined once. test/ledger/schema/schema-lua.ts makes `lua/schema.lua`
 * and the order of the arguments of {@link MOVES} from this file, so neither TypeScript nor Lua counts positions.
 */

/**
 * A field of a row. `reads: 'first'`: read with every row that moves. `reads: 'always'`: every row has it, and it is read on demand. A row
 * with any other field is read whole. `personal`: may describe a person; deleted when the portfolio is forgotten. `made`: written by
 * change.lua only.
 */
export type Field = {
  is: 'text' | 'number' | 'ms' | 'json';
  says: string;
  reads?: 'first' | 'always';
  personal?: true;
  made?: true;
};

export const ROW = {
  state: { is: 'text', says: 'the row’s state', reads: 'first' },
  step: { is: 'text', says: 'the step at which the row is, waits or ended', reads: 'first' },
  line: { is: 'number', says: 'the row’s line in the last import that had the row', reads: 'first' },
  import: { is: 'text', says: 'the number of that import', reads: 'always' },
  request: { is: 'json', says: 'what the row’s line asks for', reads: 'always', personal: true },
  rev: { is: 'number', says: 'how often the row got other words', reads: 'first' },
  gen: {
    is: 'number',
    says: 'how often the portfolio had been cancelled when the row was last imported or sent again',
    reads: 'first',
  },
  updated: {
    is: 'ms',
    says: 'when the row’s state, its words or what the service says of its limit changed last',
    reads: 'always',
    made: true,
  },
  since: {
    is: 'ms',
    says: 'when the row’s state or its words changed last, if what the service says of its limit changed later',
    made: true,
  },
  tally: { is: 'text', says: 'how the portfolio’s sums count the row', reads: 'first', made: true },
  company: { is: 'text', says: 'id of the row’s company', reads: 'first' },
  documents: { is: 'text', says: 'ids of the row’s documents, with "|" between them', reads: 'first' },
  limit: { is: 'text', says: 'id of the row’s limit', reads: 'first' },
  record: { is: 'json', says: 'what else the service said of the limit, in its answer or later' },
  problem: { is: 'json', says: 'why the row has this state, for people', personal: true },
  cause: { is: 'text', says: 'id of the cause for which the row failed' },
  putOffs: { is: 'number', says: 'how often the service put the row’s call off' },
  passed: { is: 'number', says: 'how many calls of this kind had been answered when the row’s call was put off last' },
  overtaken: { is: 'number', says: 'how often the row’s call was put off after other calls of its kind were answered' },
  countedAt: {
    is: 'number',
    says: 'time, in seconds, of the latest increase of `putOffs`, or of the first time that the row’s call was put off',
  },
  replaced: { is: 'text', says: '"<import> <key>" of the row that replaced this row' },
  approval: { is: 'text', says: 'id of the approval that the row waits for, or has', reads: 'first' },
  awaits: { is: 'text', says: '"<approval>|<asked>": how that approval’s sums count the row', made: true },
  unpassed: { is: 'text', says: 'id of the approval whose people’s sums no longer contain the row', made: true },
  was: {
    is: 'json',
    says: 'the row’s state, cause and earlier approval before it waited for this approval',
    personal: true,
  },
  answer: { is: 'text', says: 'what somebody says of the row’s held call' },
  statements: {
    is: 'text',
    says: 'the date of the line’s statements, and the currency of the amount if it is not USD',
  },
  refusal: {
    is: 'text',
    says: '"<call> <revision> <status> <what was said>": a refusal that has not ended the row yet',
    personal: true,
  },
  again: { is: 'text', says: 'kind and both ids of what was made twice for the row' },
  atNight: {
    is: 'text',
    says: '"<nights> <ms> <revision>": how many nights rules sent the row again, the due time of the last night, and the row’s revision then',
  },
} as const satisfies Record<string, Field>;

/**
 * The states of rows, in the order in which reports show them. `says`: the meaning in plain words. `isOpen`: something is still to be
 * done without a person. `isStep`: the row is at that step. `isWaiting`: another person has to approve it first. `isHeld`: a person has to
 * find out the outcome of its call. A state with none of these is settled. `isFailed`: the row is listed under its cause. `isGranted`: its
 * limit was made. `isOut`: it requests nothing any more. `ended`: last sentence of its history. `stays`: why it is not sent again.
 */
export const STATES = {
  queued: { says: 'limit not requested yet', isOpen: true },
  company: { says: 'being registered as a company', isOpen: true, isStep: true },
  documents: { says: 'documents being uploaded', isOpen: true, isStep: true },
  limit: { says: 'limit being requested', isOpen: true, isStep: true },
  done: {
    says: 'limit requested and answered',
    ended: 'The request is sent and answered.',
    stays: 'The limit of this row was made already and is not requested twice.',
    isGranted: true,
  },
  refused: {
    says: 'the service said no',
    stays: 'Another row stands in the place of this one, so it stays as it is.',
    isFailed: true,
    isOut: true,
  },
  held: {
    says: 'outcome unknown: a person must find out',
    stays:
      'Nobody knows what became of the call of this row, so sending it again could ask for a limit twice. Say what became of it on the page Held: /held.',
    isFailed: true,
    isHeld: true,
  },
  skipped: {
    says: 'requested before, not requested again',
    ended: 'The row was skipped: this request was made before.',
    stays: 'This request was made before and is not made twice.',
    isGranted: true,
    isOut: true,
  },
  cancelled: {
    says: 'given up on request',
    ended: 'The row was given up.',
    stays: 'This row was given up. Send it again with npx limitline retry NAME --state cancelled.',
    isOut: true,
  },
  awaiting: {
    says: 'waiting for another person’s approval',
    stays: 'This row waits for another person’s approval: see /approvals.',
    isWaiting: true,
  },
} as const satisfies Record<string, StateMeaning>;

type StateMeaning = { says: string; ended?: string; stays?: string } & { [M in StateTrait]?: true };

/** The traits that {@link STATES} can give a state. */
export type StateTrait = 'isOpen' | 'isStep' | 'isWaiting' | 'isHeld' | 'isFailed' | 'isGranted' | 'isOut';

/** Arguments of a move: fields that a step writes into its row; "" leaves the field alone. */
export const BROUGHT = ['company', 'documents', 'limit', 'record', 'problem'] as const;

/**
 * Arguments of a move: the row's state and revision as a worker saw them, and the next state; the kind of answer, how many answers of that
 * kind pause the portfolio, and the pause reason.
 */
const SEEN = ['from', 'to', 'revision', 'answered', 'refusals', 'why'] as const;

/** Arguments of a move for a row that fails: the cause and a coarser one, as a JSON list; the entry for the row's history. */
const FAILING = ['failed', 'told'] as const;

/**
 * Arguments of a move: total limit, available limit and status that the service answered, or "?" if the script has to read them from the
 * row's record.
 */
const GRANTED = ['granted', 'available', 'status'] as const;

/** Arguments of a move: kind and key of a call, and the owner of the call's claim. */
const CALL = ['kind', 'thing', 'owner'] as const;

/** Arguments of a claim: limits on repeated sends, and on how long a claim belongs to its owner. */
const LIMITS_OF_CLAIM = ['sends', 'withinMs', 'vanishedAfterMs', 'disputedAfterMs'] as const;

/** Arguments of a claim: the idempotency header, and the reactions to an earlier unknown outcome, with and without this header. */
const REACTION = ['onUnknown', 'header', 'withoutIt'] as const;

/** Arguments of a move: a line of an import, and its request. */
const LINE = ['line', 'import', 'request', 'buyer', 'step', 'amount', 'asked'] as const;

/** Arguments of a move: the plan to which the move belongs, and when that plan was made, in ms. */
const PART = ['plan', 'before'] as const;

/** The arguments of each transition, by name. A value that is left out is "". */
export const MOVES = {
  begin: ['step'],
  claim: [...CALL, 'revision', 'words', 'asked', 'supplier', 'mark', 'link', ...REACTION, ...LIMITS_OF_CLAIM],
  settle: [...CALL, 'buyer', 'id', 'record', 'accepted'],
  release: [...CALL, 'why', 'status', 'body', 'revision', 'mostPutOffs'],
  doubt: [...CALL, 'heard', 'sends', 'withinMs', 'firstWaitMs', 'longestWaitMs', 'others'],
  advance: [...SEEN, ...FAILING, ...GRANTED, ...BROUGHT],
  giveUp: ['from', ...PART, 'told', 'calls', 'vanishedAfterMs'],
  leaveOut: ['import', 'begun', 'problem'],
  requeue: ['from', ...PART, 'told', 'night', 'isMeant', 'asks', 'above', 'person', 'days'],
  await: ['from', ...PART, 'told', 'night', 'approval', 'answer', 'of', 'asOf', 'written'],
  put: [
    ...LINE,
    'gen',
    'began',
    'seen',
    'isNew',
    'old',
    'problem',
    'takes',
    'words',
    'approval',
    'statements',
    'known',
    'before',
  ],
  follow: ['limit', 'told'],
  free: ['approval'],
  goAnswered: ['approval'],
  holdAgain: ['approval'],
  carriedOut: ['approval'],
} as const satisfies Record<string, readonly string[]>;

export type MoveName = keyof typeof MOVES;

/** One transition of a row, with its arguments. */
export type MoveCall = {
  [M in MoveName]: { move: M } & { readonly [N in (typeof MOVES)[M][number]]?: string | number | undefined };
}[MoveName];

/** The arguments of lua/batch.lua for several moves of one row, in order. */
export function moveArgs({ portfolio, key }: RowId, moves: readonly MoveCall[]): (string | number)[] {
  const args: (string | number)[] = [portfolio, key, moves.length];
  for (const told of moves) {
    args.push(told.move);
    const values: Readonly<Record<string, string | number | undefined>> = told;
    for (const name of MOVES[told.move]) args.push(values[name] ?? '');
  }
  return args;
}

export type RowId = { portfolio: string; key: string };

/** The id as one text, by which the ledger and the queues name a row. A portfolio's name has no slash. */
export function rowName({ portfolio, key }: RowId): string {
  return `${portfolio}/${key}`;
}

/** The row of a {@link rowName} that the ledger wrote. */
export function rowNamed(name: string): RowId {
  const slash = name.lastIndexOf('/');
  return { portfolio: name.slice(0, slash), key: name.slice(slash + 1) };
}

/** The row that a text names; undefined if the text is no name of a row. */
export function rowIdOf(name: string): RowId | undefined {
  const [portfolio = '', key = '', ...more] = name.split('/');
  return more.length === 0 && isPortfolioName(portfolio) && ROW_KEY.test(key) ? { portfolio, key } : undefined;
}

/** Matches the key of a row, a digest as `identity.ts` makes it: 16 characters of base64url. */
const ROW_KEY = /^[\w-]{16}$/;

const PORTFOLIO_NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u;

/** Whether a portfolio may have this name: letters, digits, space, dot, underscore, hyphen; 64 at most. Safe in keys, file names and URLs. */
export function isPortfolioName(name: string): boolean {
  return PORTFOLIO_NAME.test(name);
}
