import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { AuditTrail } from '../../src/audit/audit-trail.ts';
import { type AuditEntry, EXPORTED, readEntry, readExportLine } from '../../src/audit/entry.ts';
import { type AuditFilter, exportLines } from '../../src/audit/read-trail.ts';
import { type Broken, makeVerifier, type TrailCheck } from '../../src/audit/verify.ts';
import type { Context } from '../../src/context.ts';
import { counted, grouped } from '../../src/counted.ts';
import { fileFault } from '../../src/files/disk.ts';
import { withContext } from '../opening/on-portfolio.ts';
import { entryNumber, limitNumber, since } from '../options/durations.ts';
import { PROBLEMS_STATUS } from '../process/exit-status.ts';
import { checkOutput, checkOverwritable, nameWritten, writeOutput } from '../report/output.ts';
import type { Terminal } from '../terminal/terminal.ts';

const LISTED = 50;

type ListOptions = { by?: string; what?: string; about?: string; since?: number; limit: number };
type VerifyOptions = { file?: string; from?: number };

/** `limitline audit list|verify|export`: who did what, and whether the trail was changed since. */
export function register(program: Command, terminal: Terminal): void {
  const audit = program.command('audit');
  audit
    .command('list')
    .description('entries of the audit trail, the newest last')
    .option('--by <name>', 'only entries of people whose name contains this')
    .option('--what <words>', 'only entries of actions with these words, such as "sign-in refused"')
    .option('--about <name>', 'only entries about something whose name contains this: a portfolio, a user')
    .option(
      '--since <time>',
      'only since a day (2026-11-22), since a moment (2026-11-22T10:00Z), or in the last hours (12h)',
      since,
    )
    .option('--limit <n>', 'list this many entries at the most, the newest', limitNumber, LISTED)
    .action((options: ListOptions) => withContext((context) => list(options, context, terminal)));
  audit
    .command('verify')
    .description('check every link of the trail, and name the first that does not hold (status 2)')
    .option('--file <file>', 'check an export instead (audit export)')
    .option('--from <n>', 'begin with the entry of this number, to check what comes after a known break', entryNumber)
    .action(async (options: VerifyOptions) => {
      process.exitCode = await withContext((context) => verify(options, context, terminal));
    });
  audit
    .command('export')
    .description('the whole trail as NDJSON, an entry a line, the oldest first')
    .option('--out <file>', 'write to this file instead of standard output (-)')
    .action(async ({ out }: { out?: string }) => {
      checkOutput(out, { isBinary: false });
      await withContext((context) => exportTrail(out, context));
      nameWritten(out, terminal);
    });
}

async function list({ limit, since: sinceMs, by, what, about }: ListOptions, { audit }: Context, terminal: Terminal) {
  const filter = Object.fromEntries(
    Object.entries({ by, what, about, sinceMs }).filter(([, value]) => value !== undefined),
  ) as AuditFilter;
  const { entries, next } = await audit.read.page({ count: limit, filter, walk: Number.POSITIVE_INFINITY });
  entries.reverse();
  const lines = entries.map(entryWords);
  if (entries.length === 0) lines.push('No entry of the audit trail fits these options.');
  else if (next !== undefined) lines.unshift(`The newest ${entries.length}; there are older ones: --limit N`);
  terminal.print(lines.join('\n'), { entries, more: next !== undefined });
}

async function verify({ file, from }: VerifyOptions, { audit }: Context, terminal: Terminal): Promise<number> {
  const known = await audit.remembered();
  const check = file === undefined ? await audit.verify(from) : await verifyFile(file, audit, from);
  terminal.print(checkWords(file ?? 'The audit trail', check, known?.number, { file, from }), {
    ...(file === undefined ? {} : { file }),
    ...check,
    first: check.first ?? null,
    last: check.last ?? null,
    remembered: known?.number ?? null,
    broken: check.broken ?? null,
  });
  return check.broken ? PROBLEMS_STATUS : 0;
}

async function exportTrail(out: string | undefined, context: Context): Promise<{ entries: number }> {
  await checkOverwritable(out, context);
  const counts = { entries: 0 };
  await writeOutput(out, (to: Writable) => pipeline(exportLines(context.audit.read, counts), to));
  return counts;
}

/**
 * The characters in names that are not printed, because they control a terminal or change the reading direction. Names come from anybody
 * who tries to sign in.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

function entryWords({ number, atMs, by, what, is, of, about, from, account, facts }: AuditEntry): string {
  const when = Number.isFinite(atMs) ? new Date(atMs).toISOString().replace('T', ' ').replace('Z', ' UTC') : 'no time';
  const part = is === undefined ? '' : of === undefined ? `, ${is}` : `, ${is} (begun in ${of})`;
  const words = [
    String(number).padStart(6),
    when,
    by === '' ? '–' : by,
    `${what}${part}`,
    ...(about === undefined ? [] : [`"${about}"`]),
    `from ${from}`,
    ...(account === '' ? [] : [`account ${account}`]),
    ...(facts === undefined ? [] : [JSON.stringify(facts)]),
  ];
  return words.join('  ').replace(UNSEEN, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Checks an export line by line. Lines before the first entry from `from` on are left out, such as those before a known break. The
 * export may end before the trail does: it is compared with the last entries that this host remembers as far as it reaches.
 *
 * @throws LimitlineError `FILE` where it cannot be read
 */
async function verifyFile(path: string, audit: AuditTrail, from: number | undefined): Promise<TrailCheck> {
  const known = await audit.remembered();
  const verifier = makeVerifier({
    chain: await audit.chain(),
    from,
    remembered: known ? [{ ...known, by: 'the data folder of this host', mustReach: false }] : [],
  });
  const file = createReadStream(path);
  const exports = new Set<number>();
  let isBefore = from !== undefined;
  try {
    for await (const line of createInterface({ input: file, crlfDelay: Number.POSITIVE_INFINITY })) {
      const entry = readExportLine(line);
      const read = readEntry(entry?.text ?? '');
      // Entries may have come while the file was written, so its own export may be among the lines that are left out.
      notePart(exports, read);
      isBefore &&= (read?.number ?? 0) < (from ?? 0);
      if (isBefore) continue;
      // A line that is no entry gets an empty link, which cannot be right. So the check fails at this line.
      if (entry || line !== '') verifier.add(entry ?? { text: line, link: '' });
    }
  } catch (error) {
    throw fileFault(path, 'read', error);
  }
  const check = verifier.end();
  const nothingFrom = from !== undefined && check.entries === 0;
  return check.broken || exports.size > 0 || nothingFrom ? check : { ...check, broken: cutOff(check) };
}

/** Keeps the numbers of the exports that were begun and not yet ended: a whole file has that of its own export among them. */
function notePart(exports: Set<number>, entry: AuditEntry | undefined): void {
  if (entry?.what !== EXPORTED) return;
  if (entry.is === 'begun') exports.add(entry.number);
  else if (entry.of !== undefined) exports.delete(entry.of);
}

function cutOff({ last }: TrailCheck): Broken {
  const number = (last?.number ?? 0) + 1;
  const words = `The end of the file is missing, from entry ${number} on: an export has the entry about itself, and this file has none.`;
  return { number, atMs: undefined, is: 'end', words };
}

/**
 * Describes a verdict for people.
 *
 * @param what `The audit trail`, or the file that was checked
 * @param remembered the last number that this host remembers; without one, a cut-off end goes unnoticed
 * @param given the first entry checked, and the file
 */
function checkWords(
  what: string,
  { entries, first, last, broken }: TrailCheck,
  remembered: number | undefined,
  { file, from }: { file?: string | undefined; from?: number | undefined } = {},
): string {
  const at = (atMs: number) => new Date(atMs).toISOString();
  if (broken) {
    const when =
      broken.atMs === undefined
        ? ''
        : ` The entry ${broken.upTo === undefined ? 'there' : 'behind that'} was written at ${at(broken.atMs)}.`;
    const checked = `${counted(entries, 'entry', 'entries')} ${entries === 1 ? 'was' : 'were'} checked.`;
    const found = `${what} does not hold. ${broken.words}${when} ${checked}`;
    // Behind the end of a file there is nothing to check.
    if (file !== undefined && broken.is === 'end') return found;
    const next = (broken.upTo ?? broken.number) + 1;
    return `${found} To check the entries after that: npx limitline audit verify ${file === undefined ? '' : `--file "${file}" `}--from ${next}`;
  }
  if ((!last || first === undefined) && from !== undefined)
    return `${what} has no entry from number ${grouped(from)} on: nothing was checked.`;
  if (!last || first === undefined)
    return `${what} is empty${remembered === undefined ? ', and this host remembers no entry of it.' : '.'}`;
  const known =
    remembered === undefined
      ? 'This host remembers no entry of it: if its last entries were cut off before now, that does not show.'
      : `This host remembers number ${grouped(remembered)}.`;
  return `${what} is whole: ${counted(entries, 'entry', 'entries')}, number ${grouped(first)} to ${grouped(last.number)}, the last of ${at(last.atMs)}. ${known}`;
}
