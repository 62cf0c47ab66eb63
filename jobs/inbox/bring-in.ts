import { execFile } from 'node:child_process';
import { createHash, type Hash } from 'node:crypto';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dropActor } from '../../src/actor.ts';
import { allBeforeWords, counted, revivedWords } from '../../src/counted.ts';
import { makeFolder } from '../../src/data-folder.ts';
import { changed } from '../../src/documents/store.ts';
import { LimitlineError } from '../../src/errors.ts';
import { roomBytesOf, sha256Of } from '../../src/files/disk.ts';
import type { TakenFile } from '../../src/ledger/inbox/inbox.ts';
import { sentByPathWords } from '../../src/portfolio/columns/extra-fields.ts';
import { isResultsHeader } from '../../src/portfolio/columns/result-columns.ts';
import { type ReadOptions, readingWords, readOptionsSchema } from '../../src/portfolio/read-options.ts';
import { readSupplier, unsentWords } from '../../src/portfolio/supplier.ts';
import { minuteText } from '../../src/utc-text.ts';
import { shownName } from '../drafts/upload-names.ts';
import { type Imported, importDepsOf, importPortfolio } from '../import/import-portfolio.ts';
import { lackingWords } from '../import/lacking-rows.ts';
import { goneWords } from '../import/other-files.ts';
import { supplierAsNamed } from '../import/remember-supplier.ts';
import { changeOf, statOf } from './drop-folder.ts';
import { documentsNameOf, ofSupplier, portfolioOf } from './dropped-names.ts';
import type { RoundDeps } from './inbox-deps.ts';
import { readingOf } from './inbox-reading.ts';
import { type Entry, makeProblemsFile } from './taken-folder.ts';

/** The origin of a dropped file, for the audit trail. */
export const inboxFrom = (): string => `drop folder on ${hostname()}`;

/**
 * Imports a file that was taken, unless the same content was imported before, or the portfolio was given up since. Records each step before
 * the next one, so that a file whose process died is imported again as the same import.
 *
 * @returns the result, not recorded yet
 * @throws LimitlineError `FILE` where the file cannot be read or our own disk fails; `STOPPED`
 */
export async function bringIn(entry: Entry & { file: string }, file: TakenFile, deps: RoundDeps): Promise<TakenFile> {
  const { imports, inbox, portfolios, signal } = deps;
  const { givenUp } = await portfolios.read(file.portfolio);
  // Not later or earlier: two hosts have two clocks.
  const isSince = file.givenUpMs !== undefined && file.givenUpMs !== (givenUp?.atMs ?? 0);
  if (isSince) return { ...file, is: 'rejected', words: givenUpWords(file) };
  const before = await statOf(entry.file);
  if (!before?.isFile()) return { ...file, is: 'rejected', words: `${file.name} is not a file: drop the file itself.` };
  const { supplier } = entry;
  const named = supplier === undefined && file.documents.find((one) => ofSupplier(one) !== undefined);
  if (named) {
    const words = `${shownName(named)} lay beside ${file.name} and was removed, replaced or written to while ${file.name} was taken: drop ${file.name} again with it.`;
    return { ...file, is: 'rejected', words };
  }
  if (supplier !== undefined && !(await statOf(supplier))?.isFile()) {
    return {
      ...file,
      is: 'rejected',
      words: `What lay beside ${file.name} as its supplier's file is not a file: drop the file itself.`,
    };
  }
  const supplierSha256 = supplier && (await sha256Of(supplier));
  await needRoom(before.size, deps.settings.LIMITLINE_DATA);
  // A second try reads the file as the first did: corrections of its form may have changed since.
  const said = file.reading === undefined ? await readingOf(entry.file, deps) : undefined;
  const reading = file.reading ?? JSON.stringify(said?.reading);
  const kept = await imports.put({ name: file.name, path: entry.file, sizeBytes: before.size, mediaType: 'text/csv' });
  const owners = new Set([before.uid]);
  const content = await contentOf({ sha256: kept, documents: entry.documents, supplier, reading }, { signal, owners });
  const by = (await Promise.all([...owners].map(userNameOf))).map(dropActor);
  // Owners noted by an earlier attempt stay authors: while the file is in `.taken`, only root can change its owner.
  const begun: TakenFile = {
    ...file,
    reading,
    content,
    seen: { sha256: kept, bytes: before.size, version: changeOf(before) },
    by: [...new Set([...(file.by ?? []), ...by, ...(said?.by ?? [])])],
  };
  await inbox.note(begun);
  const earlier = await inbox.imported(content);
  if (earlier && earlier.id !== file.id) {
    if (await hasLater(earlier, kept, deps)) return { ...begun, is: 'rejected', words: laterWords(earlier) };
    const words = [
      againWords(earlier),
      ...(await cancelledWords(earlier, deps)),
      ...(supplier ? await otherSupplierWords(supplier, earlier, deps) : []),
    ];
    return { ...begun, is: 'again', words: words.join(' ') };
  }
  const look = { kept, reading: readOptionsSchema.parse(JSON.parse(reading)), mode: before.mode };
  const imported = await importEntry(entry, begun, look, deps);
  // The file may have been written to during the import. Then it is imported again; its lines lead to the same rows.
  if ((await sha256Of(entry.file)) !== kept || (supplier && (await sha256Of(supplier)) !== supplierSha256))
    throw changed({ path: file.name });
  return { ...begun, ...outcomeOf(file, imported) };
}

function givenUpWords({ name, portfolio }: TakenFile): string {
  return `Portfolio ${portfolio} was given up after ${name} was taken, so nothing more of it is imported: drop it again if it is to be requested all the same.`;
}

async function needRoom(sizeBytes: number, dataDir: string): Promise<void> {
  makeFolder(dataDir);
  if ((await roomBytesOf(dataDir)) >= sizeBytes) return;
  const cause = Object.assign(new Error('no room is left'), { code: 'ENOSPC' });
  const message = `The disk of the data folder ${dataDir} has no room for this file. Free some space there; the file is then imported by itself.`;
  throw new LimitlineError('FILE', message, { cause });
}

async function importEntry(
  entry: Entry,
  { portfolio, name, by: [by = '', ...authors] = [] }: TakenFile,
  { kept, reading, mode }: { kept: string; reading: ReadOptions; mode: number },
  deps: RoundDeps,
): Promise<Imported & Listed> {
  const { audit, drop, signal } = deps;
  const problems = await makeProblemsFile(join(entry.dir, 'problems.csv'), mode);
  const own = documentsNameOf(name);
  const payload = {
    portfolio,
    path: join(drop.dir, name),
    kept,
    reading,
    replace: false,
    by,
    authors,
    supplierPath: entry.supplier,
    documentsDir: entry.documents ?? join(entry.dir, 'documents'),
    documentsWords: {
      folder: `the documents dropped with ${name}`,
      missing: `No documents were dropped with ${name}: drop it again with a folder ${own}, or ${own}.zip, beside it.`,
    },
  };
  let sentByPath: string[] = [];
  let isResults = false;
  let warnings = 0;
  await deps.enterAccount();
  const note = {
    by,
    what: 'file imported',
    from: inboxFrom(),
    about: portfolio,
    facts: { file: name, reading: readingWords(reading), authors, ...(entry.supplier && { supplier: true }) },
  };
  return audit.around(
    note,
    async () => {
      const imported = await importPortfolio(payload, {
        ...importDepsOf(deps, signal),
        onOpened: ({ dialect, columns, header }) => {
          isResults = isResultsHeader(header);
          problems.like(dialect);
          sentByPath = sentByPathWords(columns);
        },
        onBatch: (batch) => {
          problems.add(batch.problems);
          warnings += problems.addWarnings(batch.warnings);
        },
      }).finally(() => problems.end());
      return { ...imported, sentByPath, isResults, warnings };
    },
    ({ sha256, lines, rows, invalid, duplicate, faults }) => ({
      sha256,
      lines,
      rows,
      invalid,
      duplicate,
      faults: faults.length,
    }),
  );
}

/**
 * `sentByPath`: sentences that name the columns sent as extra fields, at a path of the call's body; none if there are no such columns.
 * `isResults`: the file is a results file. `warnings`: how many stand in the list of problems, without advice.
 */
type Listed = { sentByPath: string[]; isResults: boolean; warnings: number };

function outcomeOf(
  file: TakenFile,
  { faults, approval, sentByPath, isResults, warnings, ...counts }: Imported & Listed,
): Partial<TakenFile> {
  const { lines, rows, invalid, duplicate, requestedBefore } = counts;
  if (faults.length > 0) {
    return {
      is: 'rejected',
      words: `${file.name} cannot be used as it is. ${faults.map(({ message }) => message).join(' ')}${isResults ? DECISIONS : ''}`,
    };
  }
  const words = `${counted(lines, 'line')} imported into portfolio ${file.portfolio}: ${allBeforeWords(rows, requestedBefore) ?? counted(rows, 'row')}, ${invalid} invalid, ${duplicate} duplicate.`;
  const waits = approval ? ` ${counted(approval.rows, 'row waits', 'rows wait')} for approval.` : '';
  const warned = warnings > 0 ? [`${counted(warnings, 'warning')}: see ${file.id}.problems.csv.`] : [];
  return {
    is: 'imported',
    words: [
      words + waits,
      ...(counts.revived > 0 ? [revivedWords(counts.revived)] : []),
      ...lackingWords(counts, `npx limitline import FILE --portfolio "${file.portfolio}" --replace`),
      ...goneWords(counts, file.portfolio),
      ...sentByPath,
      ...unsentWords(counts.supplierColumnsNotSent),
      ...warned,
    ].join(' '),
    found: { lines, rows, invalid, duplicate, warnings, gone: counts.gone },
  };
}

/** What to do with a results file into which somebody typed statuses. */
const DECISIONS =
  ' If decisions of the service are typed into it, drop it under a name that ends in .decisions.csv or .decisions.xlsx.';

function againWords({ name, portfolio, atMs }: TakenFile): string {
  return `Nothing was done: the same file, with the same documents, was imported into portfolio ${portfolio} before (${name}, ${minuteText(atMs)}). To ask for something again on purpose, give its lines a new request_reference; to import it all the same, use npx limitline import.`;
}

/** Whether other content under such a name was imported into the portfolio after this one. An errors file, which has no `columns`, adds to it. */
async function hasLater({ portfolio }: TakenFile, sha256: string, { portfolios }: RoundDeps): Promise<boolean> {
  const imports = (await portfolios.allImports(portfolio)).sort((one, other) => other.lastMs - one.lastMs);
  const isLike = (name: string) => portfolioOf(name) === portfolio;
  const [last] = imports.filter(
    ({ id, fileName, found }) => id === sha256 || (isLike(fileName) && found?.columns !== undefined),
  );
  return imports.some(({ id }) => id === sha256) && last?.id !== sha256;
}

function laterWords({ name, portfolio, atMs }: TakenFile): string {
  return `Nothing was done: the same file was imported into portfolio ${portfolio} before (${name}, ${minuteText(atMs)}), and another file of this name came after it, whose lines count. If this one is to count again: npx limitline import FILE --portfolio "${portfolio}".`;
}

/** A sentence for rows of the portfolio that were given up: only an import by a person brings them back. */
async function cancelledWords({ portfolio }: TakenFile, { portfolios }: RoundDeps): Promise<string[]> {
  const { cancelled } = (await portfolios.read(portfolio)).states;
  if (cancelled === 0) return [];
  const stay = counted(cancelled, 'row is cancelled and stays so', 'rows are cancelled and stay so');
  return [
    `In portfolio ${portfolio} ${stay}: npx limitline import FILE --portfolio "${portfolio}" brings back those that were given up.`,
  ];
}

/** A sentence for the case that the portfolio got another supplier after the one in this file; none if its supplier is the same. */
async function otherSupplierWords(
  path: string,
  { portfolio }: TakenFile,
  { portfolios }: RoundDeps,
): Promise<string[]> {
  const { key } = supplierAsNamed(await readSupplier(path));
  const { supplier, laterSupplier } = await portfolios.read(portfolio);
  const last = laterSupplier ?? supplier;
  if (!last || last.key === key) return [];
  return [
    `A later file named another supplier for the portfolio (${last.body?.name ?? last.id}), and that supplier stays: limits that were requested already are not requested again for another supplier. To name this supplier again, import the file with it in the console or by npx limitline import.`,
  ];
}

/** How long the system may take to look up a user, in ms. A directory service that takes longer counts as absent. */
const LOOK_UP_MS = 5_000;

/** The login name of a system user, also from LDAP; else `uid 1234`. */
export async function userNameOf(uid: number): Promise<string> {
  // A slim image may lack getent. Then local users are looked up in /etc/passwd.
  const found = await promisify(execFile)('getent', ['passwd', String(uid)], { timeout: LOOK_UP_MS }).catch(
    async () => ({ stdout: await readFile('/etc/passwd', 'utf8').catch(() => '') }),
  );
  const users = found.stdout.split('\n').map((line) => line.split(':'));
  return users.find(([, , id]) => id === String(uid))?.[0] || `uid ${uid}`;
}

/**
 * The digest of a file with its documents, its supplier's file and read options: the same digest requests nothing new. Adds the owners of what
 * lay beside the file to `owners`, as user ids.
 *
 * @param sha256 of the file
 * @param documents its folder or ZIP file, if there is one; links are not followed
 * @param reading its read options, as JSON
 */
async function contentOf(
  { sha256, documents, supplier, reading }: { sha256: string; reading: string } & Pick<Entry, 'documents' | 'supplier'>,
  { signal, owners }: Going,
): Promise<string> {
  const digest = createHash('sha256').update(JSON.stringify([sha256, reading]));
  if (documents !== undefined) await addTo(digest, documents, '', { signal, owners });
  // In this digest, a document's name begins with a slash, so none has the name `supplier`.
  if (supplier !== undefined) await addTo(digest, supplier, 'supplier', { signal, owners });
  return digest.digest('hex');
}

type Going = { signal: AbortSignal; owners: Set<number> };

/** Adds each file's name and digest, sorted by name. One folder's names are in memory at a time. */
async function addTo(digest: Hash, path: string, name: string, going: Going): Promise<void> {
  going.signal.throwIfAborted();
  const found = await lstat(path);
  going.owners.add(found.uid);
  if (found.isDirectory()) {
    const names = await readdir(path);
    for (const one of names.sort()) await addTo(digest, join(path, one), `${name}/${one}`, going);
  } else if (found.isFile()) digest.update(JSON.stringify([name, await sha256Of(path)]));
  else if (found.isSymbolicLink()) digest.update(JSON.stringify([name, 'link', await readlink(path)]));
}
