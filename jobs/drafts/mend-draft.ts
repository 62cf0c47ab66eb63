import { createReadStream, createWriteStream } from 'node:fs';
import { access, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { cutText } from '../../src/cut-text.ts';
import { LimitlineError } from '../../src/errors.ts';
import { fileFault, keepRoom, sha256Of, systemCode } from '../../src/files/disk.ts';
import type { ColumnEdit, LineEdit, MendAnswer } from '../../src/portfolio/draft-desk.ts';
import type { DraftVersion, MendedCell, PortfolioDraft } from '../../src/portfolio/portfolio-draft.ts';
import { authorsWith, filedVersions, keptVersions, lastVersion } from '../../src/portfolio/portfolio-draft.ts';
import type { LineToMend, Preview } from '../../src/portfolio/preview.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { saysThousands } from '../../src/portfolio/values/amount-unit.ts';
import { mendSheet } from '../../src/table/mend/mend-sheet.ts';
import { mendText, type RecordMend } from '../../src/table/mend/mend-text.ts';
import { type DraftStore, NO_QUOTA } from './draft-store.ts';
import { leftOutWith } from './left-out.ts';
import { fileOf } from './make-preview.ts';
import { lineToMend, listFile, mendLinesOf } from './mend-list.ts';
import type { Previews } from './previews.ts';

type Deps = { drafts: DraftStore; previews: Previews; quotaBytes: number };

/** The most changed cells, and the most characters of each, that a version keeps for display. */
const [CELLS_KEPT, TEXT_KEPT] = [200, 200];

/**
 * Writes a new version of a draft's file with these cells changed. The uploaded file and the two versions before it are kept.
 *
 * @param version the version that the person saw, and `of` the preview of it
 * @param by the person who corrects it, and counts as one of its authors from then on
 * @throws LimitlineError `NOT_FOUND`; `USAGE` for an impossible correction or an exceeded quota; `FILE`
 */
export async function mendDraft(
  id: string,
  given: {
    version: number;
    edits: readonly LineEdit[];
    column?: ColumnEdit | undefined;
    of?: string | undefined;
    by?: string | undefined;
  },
  { drafts, previews, quotaBytes }: Deps,
): Promise<MendAnswer> {
  const { version, edits, column, of, by } = given;
  const seen = await drafts.read(id);
  const conflict = conflictOf(seen, version);
  if (conflict) return conflict;
  const preview = await previews.need(seen);
  if (of !== undefined && of !== preview.of) throw new LimitlineError('USAGE', READ_OTHERWISE);
  const dir = drafts.dirOf(id);
  const single = await Promise.all(
    edits.map(async (edit): Promise<FoundEdit> => {
      const line = await lineToMend(dir, preview, edit.line);
      return 'isLeftOut' in edit ? { edit: emptied(line), line, isLeftOut: true as const } : { edit, line };
    }),
  );
  const found = column ? withColumn(single, await columnEdits(column, dir, preview)) : single;
  const cellsOf = ({ edit, line }: FoundEdit) => mendedCells(edit, line, preview);
  const cells = found.flatMap(cellsOf);
  if (cells.length === 0) return { draft: seen, mended: 0 };
  const number = version + 1;
  if ((await drafts.usedBy(by)) + lastVersion(seen).sizeBytes > quotaBytes) throw new LimitlineError('USAGE', NO_QUOTA);
  const changed = found.filter((one) => cellsOf(one).length > 0);
  let lost: MendAnswer | undefined;
  const draft = await drafts.change(id, async (now) => {
    lost = conflictOf(now, version);
    if (lost) return now;
    const isSheet = preview.dialect.sheet !== undefined;
    const mends = changed.map((one) =>
      one.isLeftOut && isSheet ? emptyRow(one.line) : recordMend(one.edit, one.line),
    );
    const written = await writeVersion(seen, { dir, number, preview, mends });
    const before = lastVersion(now);
    const out = changed.filter(({ isLeftOut }) => isLeftOut).map(({ line }) => line);
    // A record of several lines may become one of fewer, so line numbers below change their meaning.
    const several = changed.filter(({ line }) => line.lines > 1).map((one) => recordMend(one.edit, one.line));
    const renumbered = (at: number) =>
      several.reduce((sum, mend) => (mend.line < at ? sum - linesLost(mend) : sum), at);
    const allOut = [...before.leftOut, ...out.map(({ line }) => line)].map(renumbered);
    const leftOut = [...new Set(allOut)].sort((a, b) => a - b);
    const mended = cells.length - changed.filter(({ isLeftOut }) => isLeftOut).flatMap(cellsOf).length;
    const known = { leftOut, ...leftOutWith(before, out) };
    const made = { ...written, number, madeMs: Date.now(), mended, cells: cells.slice(0, CELLS_KEPT), ...known };
    const versions = [...now.versions, made];
    const authors = authorsWith(now, by);
    if (several.length === 0) return { ...now, versions, authors };
    const { sameBuyer: _lines, ...reading } = now.reading;
    return { ...now, versions, reading, authors };
  });
  if (lost) return lost;
  await dropOld(dir, draft.versions);
  return { draft, mended: cells.length };
}

/** Makes a version with the content of an earlier one. @throws LimitlineError `NOT_FOUND`; `USAGE` for one that is not kept */
export async function goBack(
  id: string,
  { version, to, by }: { version: number; to: number; by?: string | undefined },
  { drafts, quotaBytes }: Omit<Deps, 'previews'>,
): Promise<MendAnswer> {
  const seen = await drafts.read(id);
  const conflict = conflictOf(seen, version);
  if (conflict) return conflict;
  const dir = drafts.dirOf(id);
  const target = keptVersions(seen.versions).find(({ number }) => number === to);
  // Earlier versions of Limitline kept only the last three versions of a file.
  const isThere = await access(join(dir, `v${to}`)).then(
    () => true,
    () => false,
  );
  if (!target || !isThere) throw new LimitlineError('USAGE', `Version ${to} is not kept: choose another one.`);
  if ((await drafts.usedBy(by)) + target.sizeBytes > quotaBytes) throw new LimitlineError('USAGE', NO_QUOTA);
  let lost: MendAnswer | undefined;
  const draft = await drafts.change(id, async (now) => {
    lost = conflictOf(now, version);
    if (lost) return now;
    const number = version + 1;
    await copyVersion(seen.name, { dir, from: to, to: number });
    const versions = [...now.versions, { ...target, number, madeMs: Date.now(), mended: 0, cells: [], backTo: to }];
    // `sameBuyer` names lines by number, and a number may mean another line in that version. So it is left out.
    const { sameBuyer: _lines, ...reading } = now.reading;
    return { ...now, versions, reading, authors: authorsWith(now, by) };
  });
  if (lost) return lost;
  await dropOld(dir, draft.versions);
  return { draft, mended: 0 };
}

async function copyVersion(name: string, { dir, from, to }: { dir: string; from: number; to: number }): Promise<void> {
  const target = join(dir, `v${to}`);
  try {
    await pipeline(
      createReadStream(join(dir, `v${from}`)),
      keepRoom(dir),
      createWriteStream(target, { mode: 0o600, flush: true }),
    );
  } catch (error) {
    await rm(target, { force: true });
    throw systemCode(error) === 'ENOSPC' ? fileFault(name, 'written', error) : error;
  }
}

async function dropOld(dir: string, versions: readonly DraftVersion[]): Promise<void> {
  const kept = new Set(filedVersions(versions).map(({ number }) => number));
  const old = versions.filter(({ number }) => !kept.has(number));
  await Promise.all(old.map(({ number }) => rm(join(dir, `v${number}`), { force: true })));
}

type FoundEdit = { edit: SingleEdit; line: LineToMend; isLeftOut?: true };
type SingleEdit = Exclude<LineEdit, { isLeftOut: true }>;

/** An edit that empties a line, so that the line is passed over when the file is read. */
function emptied({ line, cells, broken }: LineToMend): SingleEdit {
  return broken === undefined ? { line, cells: new Map(cells.map((_cell, at) => [at, ''])) } : { line, text: '' };
}

const READ_OTHERWISE =
  'Nothing was saved: the file is read in another way, or for another portfolio, since this page was loaded. Load it again; the browser’s back button still has your changes.';

/** The most characters of all lines that are corrected in one step, because they are held in memory. */
const MOST_CHARACTERS = 16 * 1_024 * 1_024;

const TOO_LONG = 'These lines are too long to be corrected in one step: correct them in the file, and upload it again.';

async function columnEdits(
  { list, column, from, to }: ColumnEdit,
  dir: string,
  preview: Preview,
): Promise<FoundEdit[]> {
  const at = preview.columns.findIndex(({ written }) => written === column);
  if (preview.columns[at]?.known === 'requested_limit' && saysThousands(from.trim()) && !to.includes('0')) {
    const message = `“${visible(from)}” says that amounts are in thousands or millions. Without “${visible(from)}”, an amount like 50 ${visible(from)} would become 50: write the zeros in its place, or correct these lines one by one.`;
    throw new LimitlineError('USAGE', message);
  }
  const found: FoundEdit[] = [];
  let characters = 0;
  for await (const line of mendLinesOf(join(dir, listFile(list)), preview[list], column)) {
    const before = line.cells[at] ?? '';
    if (line.broken !== undefined || !(from === '' || before.includes(from))) continue;
    characters += line.cells.reduce((sum, cell) => sum + cell.length, 0);
    if (characters > MOST_CHARACTERS) throw new LimitlineError('USAGE', TOO_LONG);
    const cell = from === '' ? to : before.replaceAll(from, () => to);
    found.push({ edit: { line: line.line, cells: new Map([[at, cell]]) }, line });
  }
  if (at === -1 || found.length === 0) {
    const message = `No cell of the column ${visible(column)} that needs attention has the text “${visible(from)}” in it: nothing was changed.`;
    throw new LimitlineError('USAGE', message);
  }
  return found;
}

/** Joins the edits of a whole column with those of single lines. A cell that a person edited by itself keeps that person's text. */
function withColumn(single: readonly FoundEdit[], column: readonly FoundEdit[]): FoundEdit[] {
  const all = new Map(column.map((one) => [one.line.line, one]));
  for (const one of single) {
    const { edit, line, isLeftOut } = one;
    const same = all.get(line.line);
    if (isLeftOut || 'text' in edit || !same || !('cells' in same.edit)) all.set(line.line, one);
    else {
      const changed = [...edit.cells].filter(([at, text]) => text !== (line.cells[at] ?? ''));
      all.set(line.line, { edit: { line: line.line, cells: new Map([...same.edit.cells, ...changed]) }, line });
    }
  }
  return [...all.values()];
}

function conflictOf(draft: PortfolioDraft, version: number): Extract<MendAnswer, { conflict: unknown }> | undefined {
  const latest = lastVersion(draft).number;
  if (latest === version) return undefined;
  const later = draft.versions.filter(({ number }) => number > version);
  return { conflict: { latest, cells: later.flatMap(({ cells }) => cells) } };
}

/** The cells of an edit that differ from the line, as a version shows them. */
function mendedCells(edit: SingleEdit, line: LineToMend, { columns }: Preview): MendedCell[] {
  const cut = (text: string) => visible(cutText(text, TEXT_KEPT));
  if ('text' in edit) {
    const before = line.broken ?? '';
    return edit.text === before ? [] : [{ line: line.line, column: null, before: cut(before), after: cut(edit.text) }];
  }
  return [...edit.cells].flatMap(([at, after]) => {
    const before = line.cells[at] ?? '';
    if (after === before || at < 0 || at >= columns.length) return [];
    return [{ line: line.line, column: columns[at]?.written ?? null, before: cut(before), after: cut(after) }];
  });
}

/** A correction that empties all cells of a sheet's row, also of one that could not be read. */
function emptyRow({ line, lines, cells: before }: LineToMend): RecordMend {
  return { line, lines, before, cells: new Map(before.map((_cell, at) => [at, ''])) };
}

function recordMend(edit: SingleEdit, { line, lines, cells: before, broken }: LineToMend): RecordMend {
  if ('text' in edit) {
    if (broken === undefined) throw new LimitlineError('USAGE', `Line ${line} is read by cells: correct its cells.`);
    return { line, lines, text: edit.text.replace(/[\r\n]+/g, ' '), before: broken };
  }
  if (broken !== undefined)
    throw new LimitlineError('USAGE', `Line ${line} cannot be split into cells: correct its whole text.`);
  const changed = [...edit.cells].filter(([at, text]) => text !== (before[at] ?? ''));
  return { line, lines, before, cells: new Map(changed.map(([at, text]) => [at, text.replace(/[\r\n]+/g, ' ')])) };
}

function linesLost(mend: RecordMend): number {
  if ('text' in mend) return mend.lines - 1;
  const before = [...mend.cells.keys()].map((at) => mend.before[at] ?? '');
  return before.reduce((sum, cell) => sum + cell.split(/\r\n?|\n/).length - 1, 0);
}

async function writeVersion(
  seen: PortfolioDraft,
  { dir, number, preview, mends }: { dir: string; number: number; preview: Preview; mends: readonly RecordMend[] },
): Promise<Pick<DraftVersion, 'sha256' | 'sizeBytes'>> {
  const { path } = fileOf(dir, seen);
  const target = join(dir, `v${number}`);
  const { dialect } = preview;
  // A process that died may have left a part of this version.
  await rm(target, { force: true });
  const to = createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true });
  try {
    if (dialect.sheet !== undefined) {
      const mended = new PassThrough();
      const { sheet } = dialect;
      await Promise.all([pipeline(mended, keepRoom(dir), to), mendSheet({ path, sheet, to: mended }, mends)]);
    } else await pipeline(mendText({ path, dialect }, mends), keepRoom(dir), to);
  } catch (error) {
    to.destroy();
    await rm(target, { force: true });
    throw systemCode(error) === 'ENOSPC' ? fileFault(seen.name, 'written', error) : error;
  }
  return { sha256: await sha256Of(target), sizeBytes: (await stat(target)).size };
}
