import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import { keptResults } from '../../jobs/export/leave-results.ts';
import { freeHeld } from '../../jobs/operators/free-held.ts';
import { type RecoveredKind, type Recovering, recoverResults } from '../../jobs/recover/recover-results.ts';
import { eachKind, KINDS } from '../../src/call-kind.ts';
import type { Context } from '../../src/context.ts';
import { counted } from '../../src/counted.ts';
import { openDocuments } from '../../src/documents/archive.ts';
import { defaultDocumentsDir, makeDocumentFolder } from '../../src/documents/folder.ts';
import { LimitlineError } from '../../src/errors.ts';
import { countLiving } from '../../src/ledger/calls/fleet.ts';
import { heldSessionsWords } from '../../src/ledger/calls/send-marks.ts';
import { makeKeySet } from '../../src/portfolio/identity/digest.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { withContext } from '../opening/on-portfolio.ts';
import { type ReadingOptions, readOptionsOf, withReadingOptions } from '../options/import-options.ts';
import { PROBLEMS_STATUS } from '../process/exit-status.ts';
import type { Terminal } from '../terminal/terminal.ts';

type RecoverOptions = ReadingOptions & { documents?: string; apply?: boolean };

/** `limitline recover RESULTS.csv …`: restores a lost or rolled-back ledger from results files. */
export function register(program: Command, terminal: Terminal): void {
  withReadingOptions(program.command('recover').argument('<files...>', 'results files, in the order of their imports'))
    .option('--documents <dir>', 'folder or ZIP file of the documents (default: "documents" beside the first file)')
    .option('--apply', 'write into the ledger what the results files have; without this option, nothing is changed')
    .action(async (files: string[], options: RecoverOptions) => {
      process.exitCode = await withContext((context) => recoverFiles(files, options, context, terminal));
    });
}

async function recoverFiles(files: string[], options: RecoverOptions, context: Context, terminal: Terminal) {
  const reading = await readOptionsOf(options);
  const stopping = new AbortController().signal;
  const place = await openDocuments(options.documents ?? defaultDocumentsDir(files[0] ?? ''), stopping);
  const kept = (await context.marks.older()) ? await keptResults(context) : [];
  const all = [
    ...files.map((path) => ({ path, reading })),
    // Afterwards work goes on in all portfolios, so the kept results of all are needed, not only the files given.
    ...kept.filter((path) => !files.some((file) => resolve(file) === path)).map((path) => ({ path })),
  ];
  const recoverAll = async (write: boolean): Promise<Recovering[]> => {
    const documents = lenient(makeDocumentFolder({ dir: place.dir, maxSizeMb: Number.POSITIVE_INFINITY }));
    const deps = { ...context, documents, signal: stopping };
    const found: Recovering[] = [];
    const counted = makeKeySet();
    for (const file of all) found.push(await recoverResults({ ...file, write, counted }, deps));
    return found;
  };
  try {
    // A rehearsal first, so that problems of any file are found before anything is restored.
    const rehearsed = await recoverAll(false);
    const done = options.apply ? await apply(() => recoverAll(true), context) : undefined;
    const { found, heldSessions } = done ?? { found: rehearsed, heldSessions: 0 };
    const leftOut = found.reduce((sum, file) => sum + file.leftOut.length, 0);
    const words = [wordsOf(found, options.apply === true, context.account), heldSessionsWords(heldSessions)];
    terminal.print(words.filter(Boolean).join('\n\n'), {
      account: context.account,
      applied: options.apply === true,
      files: found,
      heldSessions,
    });
    return leftOut > 0 ? PROBLEMS_STATUS : 0;
  } finally {
    await place.close();
  }
}

async function apply<T>(putBack: () => Promise<T>, context: Context): Promise<{ found: T; heldSessions: number }> {
  const workers = await countLiving({ connection: context.ledger, keys: context.keys });
  if (workers > 0) {
    const are = workers === 1 ? 'A worker is' : `${workers} workers are`;
    const message = `${are} at work in account ${context.account} and might request again what the files say is done: stop them first.`;
    throw new LimitlineError('USAGE', message);
  }
  await context.enterAccount();
  const found = await putBack();
  // Redis now contains what the files know, so work may go on.
  const { heldSessions } = await context.marks.accept();
  // Rows that the older ledger held may have a known outcome now.
  await freeHeld(context);
  return { found, heldSessions };
}

/** The documents of a folder. A missing document is no error here: its row is restored, and only the record of its upload is not. */
function lenient({ find }: ReturnType<typeof makeDocumentFolder>): ReturnType<typeof makeDocumentFolder> {
  return {
    async find(name, meant) {
      const found = await find(name, meant);
      return typeof found === 'string' ? { name, path: '', sizeBytes: 0, mediaType: '' } : found;
    },
  };
}

const LABELS: Record<RecoveredKind, string> = {
  ...eachKind((kind) => KINDS[kind].several),
  session: 'hosted sessions',
  held: 'held, outcome unknown',
};

/** The most lines listed per file: as many as a person reads. The rest are counted, and --json has all. */
const SHOWN = 20;

function wordsOf(found: readonly Recovering[], applied: boolean, account: string): string {
  const parts = found.map((file) => fileWords(file, applied));
  const waiting = found.reduce((sum, file) => sum + file.waiting, 0);
  if (waiting > 0) {
    const were = counted(waiting, 'row was', 'rows were');
    parts.push(
      `${were} still waiting when the file was written. If work went on after that, nobody here knows what became of them: look them up at the service before you import again.`,
    );
  }
  const replaced = found.reduce((sum, file) => sum + file.replaced, 0);
  if (replaced > 0) {
    const were = counted(replaced, 'row was', 'rows were');
    parts.push(
      `${were} replaced by a corrected line. A file that still has the old line would request it again, besides the corrected one: mend the file before you import it.`,
    );
  }
  const declined = found.reduce((sum, file) => sum + file.declined, 0);
  if (declined > 0) {
    const were = counted(declined, 'row was', 'rows were');
    const no = declined === 1 ? 'That no is' : 'Those noes are';
    parts.push(
      `${were} declined by a person. ${no} not put back: the same lines would be requested without another yes. Leave them out of the files that you import again, or set APPROVE_ALWAYS=on before. The column problem of the results says who declined, and why.`,
    );
  }
  const givenUp = found.reduce((sum, file) => sum + file.givenUp, 0);
  if (givenUp > 0) {
    parts.push(
      `${counted(givenUp, 'row was', 'rows were')} given up. That is not put back: the same lines would be requested. Leave them out of the files that you import again.`,
    );
  }
  if (found.some(({ put, known }) => put.session + known.session > 0)) {
    parts.push(
      'A results file has only the last link of hosted sessions. It does not say whether a session was held or refused, so whoever asks for a session may get a second one.',
    );
  }
  const leftOut = found.flatMap((file) => file.leftOut);
  if (leftOut.some(({ upload }) => upload)) {
    parts.push(
      'For lack of an upload no limit is requested again. To put back uploads, too, name the folder of the documents: --documents DIR.',
    );
  }
  if (applied && leftOut.some(({ upload }) => !upload)) {
    parts.push(
      `Put back into account ${account}, except for the lines named above. What the lines above asked for might be requested again: ask the service about each, and leave out of the original files what was made, before you import them again. \`limitline check\` says what an import would request.`,
    );
    return parts.join('\n\n');
  }
  parts.push(
    applied
      ? `Put back into account ${account}. Import the original files again: what is done is not requested again, what was held is held.`
      : `A rehearsal: nothing was changed in account ${account}. Add --apply to do it.`,
  );
  return parts.join('\n\n');
}

function fileWords({ path, rows, put, known, leftOut }: Recovering, applied: boolean): string {
  const verb = applied ? 'put back' : 'to put back';
  const lines = [`${path}: ${counted(rows, 'row')}`];
  for (const kind of Object.keys(LABELS) as RecoveredKind[]) {
    if (put[kind] + known[kind] === 0) continue;
    const rest = known[kind] > 0 ? `, ${known[kind].toLocaleString('en')} known already` : '';
    lines.push(`  ${LABELS[kind].padEnd(22)}${put[kind].toLocaleString('en').padStart(10)} ${verb}${rest}`);
  }
  for (const { line, what } of leftOut.slice(0, SHOWN))
    lines.push(`  line ${line} of ${visible(basename(path))}: ${what}.`);
  if (leftOut.length > SHOWN) lines.push(`  … and ${leftOut.length - SHOWN} more such lines; --json names all.`);
  return lines.join('\n');
}
