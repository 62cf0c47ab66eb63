import {
  APPROVED,
  BOARD,
  CANCELLED,
  foundBy,
  inLua,
  KEYED,
  lua,
  type Mutant,
  PAUSED,
  RESENT,
  RESOLVED,
  TWO,
} from './mutant.ts';

const GIVEN_UP = 'given up while it is resent';
const AMONG_THREE = 'lost too late, among three';

/** Guards of claim, settle, release and doubt: each call at most once. */
export const CALL_MUTANTS: readonly Mutant[] = [
  lua('claim', 'made', 'what was made is not looked at', ["if state == 'made' then", "if state == 'never' then"], TWO),
  lua(
    'claim',
    'busy',
    'a living owner counts as vanished',
    ['if seen and tonumber(seen) >', 'if false and tonumber(seen) >'],
    [...RESENT, ...TWO],
  ),
  lua(
    'claim',
    'vanished',
    'what a vanished process sent is not in doubt',
    ["noteDoubt(call, 'the process that was sending it vanished', found.at, now)\n    open = open + 1", ''],
    ['one row', ...TWO],
  ),
  lua(
    'claim',
    'hold',
    'a setting that holds is not looked at',
    ["declined or onUnknown == 'hold' or gone", 'declined or gone'],
    ['one row', 'late answers and people'],
  ),
  lua('claim', 'gone', 'a row that was given up is sent', ["if gone then return no('cancelled') end", ''], CANCELLED),
  lua('claim', 'awaits', 'an approval is not looked at', ["if awaits then return no('awaiting') end", ''], APPROVED),
  lua('claim', 'paused', 'a pause is not looked at', ["if portfolio.paused then return no('paused') end", ''], PAUSED),
  lua(
    'first-rows',
    'chosen',
    'rows that were chosen before do not count',
    ["most - redis.call('SCARD', chosen)", 'most'],
    ['the first row alone'],
  ),
  lua('claim', 'refused', 'a second job sends a refused row', ['row.state ~= stepOf(it.kind) or ', ''], BOARD),
  lua(
    'claim',
    'refusal',
    'another job asks again between the refusal of a row and its end',
    ["if refusedWith then return no('refused', refusedWith, refusedBody) end", ''],
    BOARD,
  ),
  lua(
    'claim',
    'not ours',
    'a setting sends again what was answered for another',
    ['or other or found.others or', 'or other or'],
    RESENT,
  ),
  lua(
    'claim',
    'sign too long',
    'a heartbeat is believed for an hour',
    [
      'if seen and tonumber(seen) > now - tonumber(it.vanishedAfterMs) then',
      'if seen and tonumber(seen) > now - 3600000 then',
    ],
    ['one row'],
  ),
  foundBy(
    lua(
      'claim',
      'doubt kept',
      'a claim in doubt counts as free when it is sent again',
      ["'state', inDoubt and 'unknown' or 'free'", "'state', 'free'"],
      [GIVEN_UP],
    ),
    {
      world: GIVEN_UP,
      schedule: {
        order: ['ann', 'carl'],
        deviations: { 'ann#144': 'fails after' },
        answers: { 'limit of Buyer-1@example.com 1000 #1': 'never, made' },
      },
    },
  ),
  lua(
    'claim',
    'declined',
    'a no is not looked at',
    ['or isRequest and declinedIn(portfolio.hash, found.declined, found.asks, found.yes)', ''],
    APPROVED,
  ),
  lua(
    'settle',
    'made',
    'a second answer is written over the first',
    ["if known.state == 'made' then", 'if false then'],
    [...RESENT, ...RESOLVED, 'one row'],
  ),
  lua('settle', 'counted', 'what was made is not counted', ["add(KEYS[1], 'made:' .. it.kind, 1)", ''], ['one row']),
  lua(
    'settle',
    'doubts',
    'what was made is in doubt still',
    ['      forgetDoubts(call)\n', ''],
    [...TWO, 'late answers and people'],
  ),
  lua(
    'settle',
    'late',
    'a late answer is not told as one',
    ['{ it.id, late and 1 or 0 }', '{ it.id, 0 }'],
    [...TWO, 'late answers and people'],
  ),
  foundBy(
    lua(
      'settle',
      'repeated',
      'a late answer that is told again, since the reply was lost, is not told as one',
      ['known.id == it.id and known.owner == it.owner and 1 or 0', '0'],
      ['mended on the way'],
    ),
    {
      world: 'mended on the way',
      schedule: {
        order: ['bob', 'ann', 'igor'],
        deviations: { 'bob#20': 'asks twice' },
        answers: { 'company of Buyer 1 #1': 'too late, made' },
      },
    },
  ),
  lua(
    'release',
    'owner',
    'anybody gives a claim back',
    [
      "if found.owner ~= it.owner or (found.state ~= 'claimed' and found.state ~= 'unknown') then return { 'other' } end",
      '',
    ],
    ['one row', ...TWO, ...RESENT],
  ),
  lua(
    'release',
    'in doubt',
    'a refusal answers for an earlier send',
    ['if isInDoubt(call) then', 'if false then'],
    ['resent, and refused then', ...RESENT],
  ),
  lua(
    'release',
    'late',
    'a late refusal is not told as one',
    ["local late = found.state == 'unknown' and 1 or 0", 'local late = 0'],
    [...TWO, 'late answers and people'],
  ),
  lua(
    'release',
    'declined',
    'a refusal forgets a no',
    ['if value then', 'if false then'],
    ['retries that are approved', ...APPROVED],
  ),
  foundBy(
    lua(
      'doubt',
      'owner',
      'anybody has a call in doubt',
      ['if not isOwn and not noteLate(of, it, found, now) then return {} end', ''],
      [AMONG_THREE],
    ),
    {
      world: AMONG_THREE,
      schedule: {
        order: ['ann', 'bob', 'cid'],
        deviations: { 'ann#40': 'gives way', 'bob#125': 'stalls' },
        answers: {
          'limit of Buyer-1@example.com 1000 #1': 'too late, 500',
          'limit of Buyer-1@example.com 1000 #2': 'never, made',
        },
      },
    },
  ),
  lua(
    'doubt',
    'repeated',
    'a doubt that is told twice counts twice',
    ["if found.state == 'claimed' then", 'if true then'],
    ['the board and a held row', 'resolved twice', 'one row'],
  ),
  lua(
    'release',
    'taken back',
    'a late refusal leaves its own send in doubt',
    ['if late == 1 then takeBackDoubt(call) end', ''],
    [...TWO, 'taken for vanished'],
  ),
  lua(
    'claim',
    'words',
    'a job of the words before sends them',
    ["or (row.rev or '0') ~= it.revision) then", ') then'],
    ['mended on the way'],
  ),
  lua(
    'settle',
    'in doubt',
    'what others lost is looked at no more where the row goes on at once',
    [', not late\n', ', true\n'],
    ['resent behind another', ...TWO, 'late answers and people'],
  ),
  lua(
    'claim',
    'keyed',
    'a call that left without the idempotency header is repeated by it',
    ["it.onUnknown == 'repeat' and not isKeyed and it.withoutIt or it.onUnknown", 'it.onUnknown'],
    KEYED,
  ),
  foundBy(
    lua(
      'doubt',
      'late',
      'a setting repeats a late send, though its row may have ended',
      ["redis.call('HSET', of.call, 'late', it.owner)", ''],
      KEYED,
      [inLua('doubt', "not isOwn and it.kind ~= 'document' or found.late", 'false')],
    ),
    {
      world: 'one worker with a key',
      schedule: {
        order: ['ann', 'bob', 'yann', 'zack'],
        deviations: {},
        answers: {
          'limit of Buyer-1@example.com 1000 #1': 'too late, 500',
          'limit of Buyer-1@example.com 1000 #2': 'refused',
        },
      },
    },
  ),
  lua('doubts', 'open', 'no send is kept as open', ["redis.call('HINCRBY', call, 'open', 1)", ''], ['one row']),
];
