import { writeFileSync } from 'node:fs';
import { RECORDS } from '../../../src/ledger/schema/records.ts';
import { BROUGHT, MOVES, ROW, STATES } from '../../../src/ledger/schema/schema.ts';

/** The text of lua/schema.lua. It has few functions and no tables, since each run of a script makes them anew. */
export function schemaLua(): string {
  const names = Object.keys(ROW) as (keyof typeof ROW)[];
  const that = (how: string) => names.filter((name) => 'reads' in ROW[name] && ROW[name].reads === how);
  const [first, always] = [that('first'), that('always')];
  const list = (words: readonly string[]) => words.map((name) => `'${name}'`).join(', ');
  return [
    '-- Made from schema.ts by schema-lua.ts: change that, and not this.',
    `local BROUGHT = { ${list(BROUGHT)} }`,
    ...KINDS_OF_STATES.map(kindOfState),
    '-- Reads the fields that most rows have. If a row has further ones, such as a problem, all of its fields are read.',
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
    '-- Reads the arguments of a move from ARGV[at] on. Answers them by name, and where the next move begins.',
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

/** The text of docs/redis.md. */
export function recordsPage(): string {
  const tables = RECORDS.flatMap(({ key, says, fields }) => [
    `## \`${key}\``,
    '',
    says,
    '',
    '| Field | Is | Says |',
    '| --- | --- | --- |',
    ...Object.entries(fields).map(([name, { is, says: words, personal }]) => {
      return `| \`${name}\` | ${is}${personal ? ', personal' : ''} | ${words.replaceAll('|', '\\|')} |`;
    }),
    '',
  ]);
  return [
    '# What stands in Redis',
    '',
    'The records of the ledger, each a hash of short fields that a person can read with `redis-cli`: `HGETALL <key>`. Every key of an account',
    'begins with `{<prefix>:<account>}:<format>:`; what else there is, its sets and lists, says `src/ledger/schema/keys.ts`. A row is the record; the sets in',
    'which it stands and the sums follow from it, and `reconcile` compares them. *Personal* fields may say something of people.',
    '',
    'Read, and write nothing by hand: Limitline does not see that something changed. This page is made from `src/ledger/schema/records.ts`.',
    '',
    ...tables,
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

// Run `node test/ledger/schema/schema-lua.ts` after each change of schema.ts or records.ts; schema.test.ts fails otherwise.
if (import.meta.main) {
  writeFileSync(new URL('../../../src/ledger/lua/schema.lua', import.meta.url), schemaLua());
  writeFileSync(new URL('../../../docs/redis.md', import.meta.url), recordsPage());
}
