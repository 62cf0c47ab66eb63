import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROLES } from '../../src/people/person.ts';
import { KNOWN_COLUMNS } from '../../src/portfolio/columns/known-columns.ts';

const ROOT = join(import.meta.dirname, '../..');
const FILES = join(ROOT, 'test/golden/files');

/**
 * Texts on pages that are not in the catalogue, by kind. Each pattern matches a text, or a part of one, in the
 * goldens’ fixed state.
 */
export const DATA: Readonly<Record<string, RegExp>> = {
  // Folders come before ids, because a random name in a path can look like an id.
  'folders of this machine': /^\/\S+$/g,
  'short sentences of jobs and of the ledger':
    /^(?:The service refused|It is unknown whether|By request of|declined by|its portfolio is|outcome unknown at|refused at) .*|^\d+ (?:lines?|rows?) (?:done )?= .*|^1 limit allowed a second sending|^15 findings: .*|^the limit$/g,
  'times and sizes': /\d{4}-\d\d-\d\d[T ][\d:.]+(?: UTC|Z)?|\b[\d.,]+ (?:B|bytes|kB|MB|GB)\b/g,
  files: /[\w•-]+\.(?:csv|pdf|zip|ndjson)\b/g,
  'ids, also masked ones': /\b(?:company|doc|bl)_[\w•…]+|\bq4\/[\w-]+|\b[a-z0-9]{5,8}\b(?<=\d[a-z0-9]*|vpugx)/g,
  'cells and columns of files': anyOf([...globSync('*.csv', { cwd: FILES }).flatMap(cellsOf), ...KNOWN_COLUMNS]),
  'names of portfolios and files': anyOf([
    ...globSync('*.csv', { cwd: FILES }).map((file) => basename(file, '.csv')),
    'cancelled',
    'upload',
  ]),
  'people and roles': anyOf(['command line', 'ann', 'bob', 'dora', 'nick', 'zoe', ...ROLES]),
  'what the service says':
    /^(?:approved|in_review|rejected)(?: \(\d+\))?$|^(?:status|total_limit|available_limit)$|\bthe limit is above what is possible|201 Created/g,
  'calls, as the story of a row names them': /\bthe (?:company|document|buyer limit request)\b|^Buyer limit request/gi,
  'words of the audit': /^sign-in refused$/g,
  'encodings, settings and this machine':
    /\b[A-Z\d]+-[A-Z\d-]+\b|^(?:MACINTOSH|GB18030|BIG5|CP\d+)$|^[A-Z]+_[A-Z_]+$|^given$|^on$|https:\/\/service\.example|^\d\.\d\.\d \(.*|^Linux .*|^the simulated Redis$/g,
};

/** Sources of sentences that are kept in the ledger or printed by commands. Pages show them in English. */
const OTHERS = sourcesOf(['jobs/**/*.ts', 'src/*.ts', 'src/!(console)/**/*.ts']);
const CONSOLE = sourcesOf(['src/console/**/*.ts', 'scripts/console/**/*.ts']);

/**
 * Whether a text is a sentence of a job or of the ledger: its longest part of three words or more is in their code
 * only.
 */
export function isSaidElsewhere(text: string): boolean {
  const parts = text.split(/[^\p{L}' ]+/u).map((part) => part.trim());
  const [longest = ''] = parts.sort((a, b) => b.length - a.length);
  return longest.split(' ').length > 2 && OTHERS.includes(longest) && !CONSOLE.includes(longest);
}

function sourcesOf(patterns: readonly string[]): string {
  return globSync(patterns, { cwd: ROOT })
    .map((path) => readFileSync(join(ROOT, path), 'utf8'))
    .join('\n');
}

function cellsOf(file: string): string[] {
  return readFileSync(join(FILES, file), 'utf8')
    .split(/[,|\n]/)
    .filter((cell) => /\p{L}/u.test(cell));
}

/** Matches any of these texts as whole words, the longest first. */
function anyOf(texts: readonly string[]): RegExp {
  const longest = [...new Set(texts)].sort((a, b) => b.length - a.length);
  return new RegExp(`(?<![\\p{L}\\d])(?:${longest.map(RegExp.escape).join('|')})(?![\\p{L}\\d])`, 'gu');
}
