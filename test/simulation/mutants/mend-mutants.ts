import { APPROVED, BOARD, CORRECTED, foundBy, inLua, lua, type Mutant, RESOLVED } from './mutant.ts';

/**
 * Corrections of races, each reverted as a whole: those of issue 24 by their numbers, and others that the simulator
 * found.
 */
export const MEND_MUTANTS: readonly Mutant[] = [
  lua(
    'resolve',
    'lost later',
    'a word answers for a call that was lost after it (issue 24, 2)',
    ["local isLater = asOf ~= ''", "local isLater = false and asOf ~= ''"],
    ['resolved by plans', ...RESOLVED],
    [
      inLua('rare-moves', "return before == '' or", 'return true or'),
      {
        file: 'jobs/operators/resolve-calls.ts',
        from: 'held.result.updatedMs !== heldMs)',
        to: 'held.result.updatedMs === -1)',
      },
    ],
  ),
  {
    id: 'decide-line: archived',
    words: 'a correction does not see its buyer’s requests where one is archived (issue 24, 3)',
    file: 'jobs/import/decide-line.ts',
    from: 'of candidatesFor(asking, ofBuyer.rows))',
    to: 'of ofBuyer.count > ofBuyer.rows.length ? [] : candidatesFor(asking, ofBuyer.rows))',
    worlds: ['corrected behind an archive'],
  },
  lua(
    'put',
    'declined',
    'a no is forgotten when the line comes under another name (issue 24, 4)',
    ['if declined and goesOn and not line.made and not line.wasCancelled then', 'if false then'],
    APPROVED,
    [
      inLua('claim', 'or isRequest and declinedIn(portfolio.hash, found.declined, found.asks, found.yes)', ''),
      inLua('claim', 'or not isRequest and declinedOf(portfolio.hash, requestOf(portfolio.hash, of.key))', ''),
    ],
  ),
  lua(
    'moves',
    'refused',
    'any job takes a refused row up (issue 24, 5)',
    ["if row.state ~= 'queued' or", "if row.state ~= 'queued' and row.state ~= 'refused' or"],
    ['refused, and retried twice', ...BOARD],
  ),
  foundBy(
    lua(
      'moves',
      'step',
      'a job of another step takes the row up',
      ["row.state ~= 'queued' or row.step ~= it.step or", "row.state ~= 'queued' or"],
      BOARD,
    ),
    {
      world: 'the board',
      schedule: { order: ['olga', 'ann', 'bob'], deviations: { 'ann#3': 'dies after' }, answers: {} },
    },
  ),
  {
    id: 'call-once: freed',
    words: 'rows that were held for a call stay held when it is known (issue 24, 6)',
    file: 'jobs/steps/call-once.ts',
    from: 'outcome.wasUnknown) await deps.freeHeld(request);',
    to: "(outcome.is as string) === 'never') await deps.freeHeld(request);",
    worlds: ['refused too late, in two portfolios', 'late answers and people'],
  },
  lua(
    'made-ids',
    'known',
    'the id of an archived row is believed as the answer for another (issue 24, 7)',
    ['if first ~= key then return first end', ''],
    ['answered with an archived id'],
  ),
  lua(
    'rare-moves',
    'restored',
    'a rule sends what was restored for a look while the night stood still (issue 24, 8)',
    [' or isForALook(row, named)', ''],
    ['restored, and a rule'],
  ),
  lua(
    'note-import',
    'cancelled',
    'a killed import stays interrupted when it is cancelled (issue 24, 11)',
    ['if isGivenUp(portfolio) then', 'if false then'],
    ['given up while it is brought in'],
  ),
  lua(
    'start-import',
    'unread',
    'of two files at once the one that began first need not be read to its end (issue 24, 13)',
    ['if string.find(before, of, 1, true) and', 'if false and'],
    ['two files at once'],
  ),
  lua(
    'change',
    'later yes',
    'a no that is carried out late takes a later yes back',
    ['isLaterThan(portfolio, id, known[2])', 'true'],
    APPROVED,
    [inLua('approvals', "'declined' and isLaterThan(portfolio, id, yes) then", "'declined' then")],
  ),
  lua(
    'release',
    'refusal',
    'a row that is refused late goes again by itself',
    ['noteRefusal(of.hash, call, it.revision, it.status, it.body)', ''],
    ['one row', 'the board and a held row'],
  ),
  lua(
    'mend-approval',
    'begun',
    'an approval of nothing stays open',
    ['if isBegun and', 'if false and'],
    ['retries that are approved', 'answers that are approved'],
  ),
  lua(
    'put',
    'seen',
    'two corrections at once are both brought in',
    [
      "if comes and not line.isFirst and it.seen ~= '' and redis.call('HLEN', line.requests) ~= tonumber(it.seen) then return 'again' end",
      '',
    ],
    ['corrected twice at once', ...CORRECTED],
  ),
  {
    id: 'place: documents',
    words: 'a row goes on with the first of its documents',
    file: 'jobs/steps/row-position.ts',
    from: 'if (uploaded.length < request.documents.length)',
    to: 'if (uploaded.length < Math.min(1, request.documents.length))',
    worlds: ['a document, and a company that is refused'],
  },
];
