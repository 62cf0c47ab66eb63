import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ESTree, parseSync, Visitor } from 'rolldown/utils';
import { KINDS } from '../../src/call-kind.ts';
import { messageWithPlaces } from '../../src/console/html/html.ts';
import { translateScript, translateTemplate } from '../../src/console/html/translate-template.ts';
import { BUCKETS } from '../../src/ledger/counts/money.ts';
import { ROW_OUTCOMES } from '../../src/ledger/counts/row-outcome.ts';
import { CHECKS } from '../../src/ledger/nightly/checks.ts';
import { SECTION_WORDS } from '../../src/ledger/nightly/compare-reports.ts';
import { ARCHIVE_STANDING } from '../../src/ledger/schema/archives.ts';
import { STEPS } from '../../src/ledger/schema/row.ts';
import { STATES } from '../../src/ledger/schema/schema.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Words of other parts, which pages look up with `translated`, and kinds of calls with their counts. */
const OF_OTHER_PARTS = [
  ...Object.values(ROW_OUTCOMES).flatMap(bothCases),
  ...Object.values(BUCKETS).flatMap(({ words }) => bothCases(words)),
  ...Object.values(STATES).flatMap((state) => ('ended' in state ? [state.ended] : [])),
  ...Object.values(CHECKS).map(({ title }) => title),
  ...Object.values(SECTION_WORDS).flatMap(({ title, lead }) => [title, lead]),
  ...Object.values(ARCHIVE_STANDING).flatMap(bothCases),
  ...STEPS,
  ...Object.entries(KINDS).flatMap(([kind, { several }]) => [kind, `{0} ${kind}`, `{0} ${several}`]),
  ...[
    'begun',
    'done',
    'failed',
    'answered',
    'invalid',
    'duplicate',
    'and',
    'or',
    'In the file',
    'In the last and earlier imports',
    'Amount',
  ],
];

/**
 * The catalogue: all messages of the console’s sources, sorted, each mapped to itself. A catalogue of another language
 * has the same keys.
 */
export function messagesOfSources(): Record<string, string> {
  const found = new Set<string>(OF_OTHER_PARTS);
  const add = (message: string) => {
    found.add(message);
    return message;
  };
  for (const path of globSync(['src/console/**/*.ts', 'scripts/console/**/*.ts'], { cwd: ROOT })) {
    addMessages(path, readFileSync(join(ROOT, path), 'utf8'), add);
  }
  for (const path of globSync('src/console/assets/script/*.js', { cwd: ROOT })) {
    translateScript(readFileSync(join(ROOT, path), 'utf8'), add);
  }
  return Object.fromEntries([...found].sort().map((message) => [message, message]));
}

/** Calls `add` for each message in the text of a file. */
export function addMessages(path: string, source: string, add: (message: string) => string): void {
  const { program, errors } = parseSync(path, source);
  if (errors[0] !== undefined) throw new Error(`${path} cannot be read: ${errors[0].message}`);
  new Visitor({
    TaggedTemplateExpression({ tag, quasi }) {
      if (tag.type !== 'Identifier') return;
      const pieces = quasi.quasis.map(({ value }) => value.cooked ?? '');
      if (tag.name === 'html') translateTemplate(pieces, add);
      if (tag.name === 't') add(messageWithPlaces(pieces));
    },
    CallExpression({ callee, arguments: [, one, many] }) {
      if (callee.type !== 'Identifier' || callee.name !== 'countWords') return;
      for (const words of wordsIn(one)) {
        add(`{0} ${words}`);
        if (!many) add(`{0} ${words}s`);
      }
      for (const words of wordsIn(many)) add(`{0} ${words}`);
    },
  }).visit(program);
}

function bothCases(words: string): string[] {
  return [words, `${words[0]?.toUpperCase()}${words.slice(1)}`];
}

/** The texts that an argument may have, as far as the code contains them. */
function wordsIn(node: ESTree.Node | undefined): string[] {
  if (!node) return [];
  if (node.type === 'Literal' && typeof node.value === 'string') return [node.value];
  if (node.type === 'ConditionalExpression') return [...wordsIn(node.consequent), ...wordsIn(node.alternate)];
  return [];
}
