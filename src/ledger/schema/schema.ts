/**
 * Defines once what the ledger keeps of a row, and which arguments its scripts get. `lua/schema.lua` and the order of the arguments of
 * {@link MOVES} are generated from it (schema-lua.ts), so neither side counts positions.
 */

/**
 * A field of a row. `reads: 'always'`: every row has it, and it is read on request. `'first'`: it is read with every row that moves; a row
 * with other fields is read whole. `personal`: it may hold personal data, and is removed when a portfolio is forgotten. `made`: only
 * change.lua writes it.
 */
export type Field = {
  is: 'text' | 'number' | 'ms' | 'json';
  says: string;
  reads?: 'first' | 'always';
  personal?: true;
  made?: true;
};

export const ROW = {
  state: { is: 'text', says: 'where it stands', reads: 'first' },
  step: { is: 'text', says: 'the step at which it is, waits or ended', reads: 'first' },
  line: { is: 'number', says: 'the line of the last import that had it', reads: 'first' },
  import: { is: 'text', says: 'the number of that import', reads: 'always' },
  request: { is: 'json', says: 'what its line asks for', reads: 'always', personal: true },
  rev: { is: 'number', says: 'how often it got other words', reads: 'first' },
  gen: {
    is: 'number',
    says: 'how often its portfolio was given up when it was brought in or sent again',
    reads: 'first',
  },
  updated: { is: 'ms', says: 'when its state or its words changed last', reads: 'always', made: true },
  tally: { is: 'text', says: 'what its portfolio’s sums have of it', reads: 'first', made: true },
  company: { is: 'text', says: 'id of its company', reads: 'first' },
  documents: { is: 'text', says: 'ids of its documents, with "|" between them', reads: 'first' },
  limit: { is: 'text', says: 'id of its limit', reads: 'first' },
  record: { is: 'json', says: 'what else the service answered to its limit' },
  problem: { is: 'json', says: 'why it is where it is, for people', personal: true },
  cause: { is: 'text', says: 'id of the cause for which it failed' },
  putOffs: { is: 'number', says: 'how often the service put it off' },
  passed: { is: 'number', says: 'how many calls had passed when it was put off last' },
  overtaken: { is: 'number', says: 'how often others passed meanwhile' },
  countedAt: { is: 'number', says: 'second in which a put-off was counted last' },
  replaced: { is: 'text', says: '"<import> <key>" of what stands in its place' },
  approval: { is: 'text', says: 'id of the approval that it waits for, or has', reads: 'first' },
  awaits: { is: 'text', says: '"<approval>|<asked>": what that approval’s sums have of it', made: true },
  unpassed: { is: 'text', says: 'the approval that counts it for nobody any more', made: true },
  was: { is: 'json', says: 'what it was before it waited for an approval', personal: true },
  answer: { is: 'text', says: 'what somebody says of its held call' },
  statements: { is: 'text', says: 'the date of its line’s statements' },
  refusal: {
    is: 'text',
    says: '"<call> <revision> <status> <what was said>": refused, and not ended by it yet',
    personal: true,
  },
  again: { is: 'text', says: 'kind and both ids of what was made twice for it' },
  atNight: { is: 'text', says: 'nights, moment and revision with which rules sent it again' },
} as const satisfies Record<string, Field>;

/**
 * The states of rows, in the order of lists. `says`: its meaning for a person who knows nothing of queues. `isOpen`: work remains that
 * needs no person. `isStep`: the row is at that step. `isWaiting`: another person must approve it first. `isHeld`: a person must say what
 * became of its call. Any other state is settled. `isFailed`: it is among the rows of its cause. `isGranted`: its limit was made. `isOut`:
 * it asks for nothing any more. `ended`: how its story ends. `stays`: why it is not sent again.
 */
export const STATES = {
  queued: { says: 'limit not requested yet', isOpen: true },
  company: { says: 'being registered as a company', isOpen: true, isStep: true },
  documents: { says: 'documents being uploaded', isOpen: true, isStep: true },
  limit: { says: 'limit being requested', isOpen: true, isStep: true },
  done: {
    says: 'limit requested and answered',
    ended: 'The row is done.',
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
      'Nobody knows what became of the call of this row, so sending it again could ask for a limit twice. Say what became of it at the held desk: /held.',
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

/** The properties that a state may have. */
export type StateTrait = 'isOpen' | 'isStep' | 'isWaiting' | 'isHeld' | 'isFailed' | 'isGranted' | 'isOut';

/** What a row brings from its step: fields that are written unless they are "". */
const BROUGHT = ['company', 'documents', 'limit', 'record', 'problem'] as const;

/** Where a worker saw the row, and where it goes; what the canary needs to decide, and why it pauses the portfolio. */
const SEEN = ['from', 'to', 'revision', 'answered', 'refusals', 'why'] as const;

/** The cause of a failure and what is known of it, the same for a coarser cause, as a JSON list; and what the row's story says. */
const FAILING = ['failed', 'told'] as const;

/** As the service answered, or "?" if the record must be searched for them. */
const GRANTED = ['granted', 'available', 'status'] as const;

/** Which call it is, and who owns it. */
const CALL = ['kind', 'thing', 'owner'] as const;

/** How long, and how often, a call may be sent again or be its owner's. */
const LIMITS_OF_CLAIM = ['sends', 'withinMs', 'vanishedAfterMs', 'disputedAfterMs'] as const;

/** A line of an import, and what it asks for. */
const LINE = ['line', 'import', 'request', 'buyer', 'step', 'amount', 'asked'] as const;

/** The plan that it belongs to, and the time of the plan in ms. */
const PART = ['plan', 'before'] as const;

/** The arguments of each move, by name. A value that is left out is "". */
export const MOVES = {
  begin: ['step'],
  claim: [...CALL, 'revision', 'words', 'asked', 'mark', 'link', 'onUnknown', ...LIMITS_OF_CLAIM],
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
  free: ['approval'],
  goAnswered: ['approval'],
  holdAgain: ['approval'],
  carriedOut: ['approval'],
} as const satisfies Record<string, readonly string[]>;

export type MoveName = keyof typeof MOVES;

/** One move of a row, with its arguments. */
export type MoveCall = {
  [M in MoveName]: { move: M } & { readonly [N in (typeof MOVES)[M][number]]?: string | number | undefined };
}[MoveName];

/** A row's moves at one moment, one behind the other, as lua/batch.lua takes them. */
export function moveArgs({ portfolio, key }: RowId, moves: readonly MoveCall[]): (string | number)[] {
  const args: (string | number)[] = [portfolio, key, moves.length];
  for (const told of moves) {
    args.push(told.move);
    const values: Readonly<Record<string, string | number | undefined>> = told;
    for (const name of MOVES[told.move]) args.push(values[name] ?? '');
  }
  return args;
}

/** The text of lua/schema.lua. It has few functions and no tables, because every run of a script makes them anew. */
export function schemaLua(): string {
  const names = Object.keys(ROW) as (keyof typeof ROW)[];
  const that = (how: string) => names.filter((name) => 'reads' in ROW[name] && ROW[name].reads === how);
  const [first, always] = [that('first'), that('always')];
  const list = (words: readonly string[]) => words.map((name) => `'${name}'`).join(', ');
  return [
    '-- Made from schema.ts by schema-lua.ts: change that, and not this.',
    `local BROUGHT = { ${list(BROUGHT)} }`,
    ...KINDS_OF_STATES.map(kindOfState),
    '-- What is read of a row at first; who has more fields than that and those that every row has is read whole.',
    'local function readRow(hash)',
    `  local found, has = redis.call('HMGET', hash, ${list(first)}), ${always.length}`,
    '  if not found[1] then return {} end',
    `  for at = 1, ${first.length} do if found[at] then has = has + 1 end end`,
    `  local row = { ${first.map((name, at) => `${name} = found[${at + 1}]`).join(', ')} }`,
    "  if redis.call('HLEN', hash) == has then return row end",
    "  found = redis.call('HGETALL', hash)",
    '  for at = 1, #found, 2 do row[found[at]] = found[at + 1] end',
    '  return row',
    'end',
    '',
    '-- What a move is told, from ARGV[at] on, by name; and where the next one begins.',
    'local given = ARGV',
    'local function toldOf(move, at)',
    ...Object.entries(MOVES).map(([move, told]) => {
      const fields = told.map((name, place) => `${name} = given[at + ${place}]`).join(', ');
      return `  if move == '${move}' then return { ${fields} }, at + ${told.length} end`;
    }),
    'end',
    '',
  ].join('\n');
}

const KINDS_OF_STATES = ['isStep', 'isFailed', 'isGranted', 'isOut'] as const;

function kindOfState(kind: string): string {
  const states = Object.entries(STATES).flatMap(([name, means]) => (kind in means ? [`state == '${name}'`] : []));
  return `local function ${kind}State(state) return ${states.join(' or ')} end\n`;
}

/** A row's id: portfolio and request key (CONTRACT of the product, "Identity"). */
export type RowId = { portfolio: string; key: string };

/** The id as one text, as the ledger and the queues use it. A portfolio's name has no slash, so the text is unambiguous. */
export function rowName({ portfolio, key }: RowId): string {
  return `${portfolio}/${key}`;
}

/** The row that this text names; undefined when it names none. */
export function rowIdOf(name: string): RowId | undefined {
  const [portfolio = '', key = '', ...more] = name.split('/');
  return more.length === 0 && isPortfolioName(portfolio) && ROW_KEY.test(key) ? { portfolio, key } : undefined;
}

/** A digest as `identity.ts` makes it: 16 characters of base64url. */
const ROW_KEY = /^[\w-]{16}$/;

const PORTFOLIO_NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u;

/** Letters of any script, digits, space, dot, underscore and hyphen, up to 64: safe in keys, file names and addresses. */
export function isPortfolioName(name: string): boolean {
  return PORTFOLIO_NAME.test(name);
}
