import { APPROVED, BOARD, CANCELLED, CORRECTED, foundBy, lua, type Mutant, RESOLVED, TWO } from './mutant.ts';

const LET_GO = 'approved, and refused';
const LOST = 'corrected while its answer is lost';

/** Guards of moves of rows, and of words of people. */
export const ROW_MUTANTS: readonly Mutant[] = [
  foundBy(
    lua(
      'moves',
      'awaited',
      'a row is moved from where nobody saw it',
      ["if to ~= 'done' and state ~= from and not (mayMove and row.step == from) then return nil end", ''],
      [...RESOLVED, ...BOARD, ...CANCELLED],
    ),
    {
      world: 'the board',
      schedule: {
        order: ['olga', 'bob', 'ann'],
        deviations: {
          'bob#46': 'gives way',
          'bob#9': 'gives way',
          'bob#38': 'gives way',
          'ann#51': 'gives way',
          'bob#24': 'stands still',
        },
        answers: { 'limit of Buyer-1@example.com 1000 #1': 'refused' },
      },
    },
  ),
  foundBy(
    lua(
      'moves',
      'decided',
      'a row is held though its call was decided in the meantime',
      ["if to == 'held' and (call == 'made' or call == 'free') then return nil end", ''],
      TWO,
    ),
    {
      world: 'refused too late, in two portfolios',
      schedule: {
        order: ['ann', 'bob'],
        deviations: { 'bob#430': 'stands still' },
        answers: {
          'limit of Buyer-1@example.com 1000 #1': 'too late, refused',
          'company of Buyer 1 #1': 'too late, made',
        },
      },
    },
  ),
  foundBy(
    lua(
      'moves',
      'doubted late',
      'a refused row is not held if an earlier send is in doubt',
      ["was == 'held' or call == 'unknown' and state == 'refused'", "was == 'held'"],
      RESOLVED,
    ),
    {
      world: 'resolved by plans',
      schedule: {
        order: ['ann', 'bob', 'yann', 'yves'],
        deviations: {},
        answers: {
          'limit of Buyer-1@example.com 1000 #1': 'too late, 500',
          'limit of Buyer-1@example.com 1000 #2': 'broken off, made',
          'limit of Buyer-1@example.com 1000 #3': 'refused',
        },
      },
    },
  ),
  lua(
    'rare-moves',
    'from',
    'a row in any state goes back',
    ['if row.state ~= it.from or isReplacedRow(row)', 'if isReplacedRow(row)'],
    [...CANCELLED, ...RESOLVED, ...BOARD],
  ),
  foundBy(
    lua(
      'rare-moves',
      'replaced',
      'a row in whose place another stands goes back',
      ['if row.state ~= it.from or isReplacedRow(row) or', 'if row.state ~= it.from or'],
      CORRECTED,
    ),
    {
      world: 'corrected and retried',
      schedule: { order: ['igor', 'rita', 'rolf', 'ann'], deviations: { 'ann#1': 'stands still' }, answers: {} },
    },
  ),
  lua(
    'derive',
    'tally',
    'what a row adds is not counted anew',
    ['if was.tally ~= is.tally then', 'if false then'],
    BOARD,
  ),
  lua('resolve', 'doubts', 'what was resolved is in doubt still', ['forgetDoubts(call)', ''], RESOLVED),
  lua(
    'resolve',
    'counted',
    'what a person says was made is not counted',
    ["redis.call('HINCRBY', account, 'made:' .. kind, 1)", ''],
    RESOLVED,
  ),
  lua(
    'approvals',
    'no to an answer',
    'a no to what was said of a call is not looked at',
    ["if isDeclined or not known[1] or known[1] == 'void' and known[2] then return id end", ''],
    ['declined of a call that two portfolios share'],
    [
      {
        file: 'src/ledger/approvals/read-approval.ts',
        from: 'return last && noWords(last[2], last[3]);',
        to: 'return undefined;',
      },
    ],
  ),
  lua(
    'rare-moves',
    'busy',
    'a row is given up while its call is under way',
    ['if busy then return nil, busy end', ''],
    CANCELLED,
  ),
  lua(
    'rare-moves',
    'asked for',
    'a row is given up though nobody cancelled',
    [' and isGivenUpRow(row)\n', '\n'],
    [...CORRECTED, ...BOARD, 'mended on the way'],
  ),
  lua(
    'derive',
    'held not listed',
    'held rows are not listed',
    ["if state == 'held' then", "if state == 'held' and sign == -1 then"],
    ['one row'],
  ),
  lua(
    'derive',
    'held listed',
    'a row that goes on stays listed as held',
    ["if state == 'held' then", "if state == 'held' and sign == 1 then"],
    ['one row'],
  ),
  lua(
    'move',
    'finished',
    'what waits for an approval keeps nothing open',
    ["or isLeft(':state:awaiting')", ''],
    APPROVED,
  ),
  lua('derive', 'from', 'a row stays in the set that it left', ['putInState(row, -1)', ''], ['one row']),
  lua(
    'put',
    'sent',
    'a line changes what was sent',
    ["is == 'made' or is == 'claimed' or is == 'unknown'", "is == 'made'"],
    ['mended on the way', ...CORRECTED],
  ),
  foundBy(
    lua(
      'put',
      'refused since',
      'a line whose reply was lost asks again for what was refused meanwhile',
      ["if row.state ~= 'refused' or began == '' then", 'if true then'],
      ['imported under another name'],
    ),
    {
      world: 'imported under another name',
      schedule: {
        order: ['igor', 'ann', 'ines'],
        deviations: { 'igor#10': 'fails after' },
        answers: { 'limit of Buyer-1@example.com 1200 #1': 'refused' },
      },
    },
  ),
  foundBy(
    lua(
      'put',
      'replaces sent',
      'a correction takes the place of what was sent',
      ["elseif ended or isReplacedRow(old) or isSent(ROOT .. ':call:limit:' .. it.old) then", 'elseif ended then'],
      [LOST],
    ),
    {
      world: LOST,
      schedule: {
        order: ['ann', 'bob', 'igor', 'yann'],
        deviations: { 'igor#13': 'stands still', 'yann#1': 'stands still' },
        answers: { 'limit of Buyer-1@example.com 1000 #1': 'broken off, made' },
      },
    },
  ),
  lua(
    'answer-approval',
    'answered',
    'an answer is written over another',
    ["if standing == 'granted' or standing == 'declined' then return 'answered' end", ''],
    APPROVED,
  ),
  foundBy(
    lua(
      'approval-moves',
      'awaiting',
      'what was let go is let go again',
      [
        "if row.state ~= 'awaiting' or row.approval ~= it.approval then return nil, l",
        'if row.approval ~= it.approval then return nil, l',
      ],
      [LET_GO],
    ),
    {
      world: LET_GO,
      schedule: {
        order: ['amy', 'ann', 'bob'],
        deviations: { 'amy#12': 'stands still' },
        answers: { 'limit of Buyer-1@example.com 1000 #1': 'refused' },
      },
    },
  ),
  lua(
    'change',
    'declined',
    'a no stays with its row alone',
    ["redis.call('HSET', request, 'declined', id)", ''],
    APPROVED,
  ),
  lua(
    'close-approval',
    'over',
    'nothing waits for an answer',
    ["or over and 'waiting' or 'granted'", "or 'granted'"],
    APPROVED,
  ),
];
