import { opendir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { fileFault, systemCode } from '../files/disk.ts';
import { ownText } from '../files/text.ts';
import { normal } from '../likeness.ts';
import { readMediaType } from './kind.ts';

/** The folder in which supporting documents are looked up. */
export type DocumentFolder = ReturnType<typeof makeDocumentFolder>;

/**
 * Texts about a folder of documents: its name in messages (`the documents folder q4`), the message if it is missing, and how a document gets
 * there, unless people put it there themselves.
 */
export type FolderWords = { folder: string; missing: string; bring?: string };

/**
 * @param dir the folder. Nothing outside is read, not even through links. It may be missing if no line names a
 * document.
 * @param maxSizeMb larger documents are a problem; a megabyte has 1024 × 1024 bytes.
 * @param words the folder's name in messages, if it differs from its path, and the message for a missing folder
 * @param onNamed called with the path of each file in the folder that a name leads to, also of one that cannot be sent
 */
export function makeDocumentFolder(given: {
  dir: string;
  maxSizeMb: number;
  words?: FolderWords | undefined;
  onNamed?: (path: string) => void;
}) {
  const { dir, maxSizeMb, words = folderWordsOf(dir), onNamed = () => {} } = given;
  const finder = makeNameFinder({ root: dir });
  const kept = new Map<string, Promise<Document | string>>();

  async function look(name: string, meant = name): Promise<Document | string> {
    const problem = nameProblem(name);
    if (problem) return problem;
    const root = await realpath(dir).catch((error: unknown) => {
      if (['ENOENT', 'ENOTDIR'].includes(systemCode(error))) return null;
      throw fileFault(dir, 'read', error);
    });
    if (root === null) return words.missing;
    try {
      const path = await realpath(join(root, name));
      if (!isInside(root, path)) return `${name} leads out of the documents folder: copy the file into it.`;
      onNamed(path);
      return await inspect(name, path);
    } catch (error) {
      const code = systemCode(error);
      if (code === 'ENOENT' || code === 'ENOTDIR') return miss(name, meant);
      const reason = LOOK_FAULTS[code];
      if (reason) return `${name} ${reason}`;
      throw fileFault(join(root, name), 'read', error);
    }
  }

  async function inspect(name: string, path: string): Promise<Document | string> {
    const found = await stat(path);
    if (!found.isFile()) return `${name} is not a file: name a file in the folder.`;
    if (found.size === 0) return `${name} is empty: replace it with the document itself.`;
    if (found.size > maxSizeMb * 1024 * 1024) {
      return `${name} has ${(found.size / 1024 / 1024).toFixed(1)} MB, and documents of at most ${maxSizeMb} MB are sent: make it smaller, or raise MAX_DOCUMENT_MB.`;
    }
    const kind = await readMediaType({ name, path });
    if ('problem' in kind) return kind.problem;
    return { name: basename(name), path, sizeBytes: found.size, mediaType: kind.mediaType };
  }

  /**
   * The answer for a name that no file has. A file whose name differs only in Unicode form is used; a similar name, such as one in other
   * case, is proposed in the message.
   */
  async function miss(name: string, meant: string): Promise<Document | string> {
    if (meant !== name) return look(meant);
    const near = await finder.near(name);
    if (near === null)
      return `${name} is not in ${words.folder}: ${words.bring ?? 'put it there'}, or correct the name.`;
    if (near !== name && near.normalize('NFC') === name.normalize('NFC')) return look(near);
    return `${name} is not in ${words.folder}: there is ${near}; write that.`;
  }

  return {
    /**
     * The document of a name, which may have sub-folders (`2026/acme.pdf`), or a message why it cannot be sent. Results
     * are cached, because many lines name the same document.
     *
     * @param meant the name to try if no file has the name as written; default: the same name
     * @throws LimitlineError `FILE` when the disk fails.
     */
    find(name: string, meant: string = name): Promise<Document | string> {
      const known = kept.get(name);
      if (known) return known;
      // The name is part of a 64 KB text, which a reference would keep in memory.
      const copy = ownText(name);
      const answer = look(copy, ownText(meant));
      if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value ?? '');
      kept.set(copy, answer);
      answer.catch(() => kept.delete(copy));
      return answer;
    },
  };
}

/** The folder's name in messages. @param dir the path of the folder, or of its ZIP file */
export function folderWordsOf(dir: string): FolderWords {
  const folder = `the documents folder ${dir}`;
  return { folder, missing: `There is no documents folder ${dir}: name it with --documents DIR, or make it.` };
}

/** The default folder: `documents` beside the file. */
export function defaultDocumentsDir(csvPath: string): string {
  return join(dirname(resolve(csvPath)), 'documents');
}

/** A supporting document that was checked and may be sent. */
export type Document = {
  /** The file's base name, as it is sent. */
  name: string;
  /** The file's absolute path, with every link resolved. */
  path: string;
  sizeBytes: number;
  mediaType: string;
  /** The purpose that is sent with the document; undefined for the one that the service documents (docs/service.md, "Document"). */
  purpose?: string;
};

/** A documents folder that has every document, for a file whose documents were checked before. */
export const ANY_DOCUMENT = { find: async (name: string) => ({ name, path: name, sizeBytes: 0, mediaType: '' }) };

/** Most unnamed documents that are listed: more than a person reads through. Further files are not counted. */
const MAX_LISTED = 1_000;

/**
 * The files in the documents folder that no line names, as a line would name them. Usually somebody forgot them.
 * Without hidden files; empty if the folder is missing.
 *
 * @param named absolute paths with links resolved, as `onNamed` of the folder is called with them
 */
export async function unnamedDocuments(dir: string, named: ReadonlySet<string>): Promise<string[]> {
  const unnamed: string[] = [];
  try {
    const root = await realpath(dir);
    for await (const entry of await opendir(root, { recursive: true })) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || entry.name.startsWith('.') || named.has(path)) continue;
      unnamed.push(relative(root, path));
      if (unnamed.length >= MAX_LISTED) break;
    }
  } catch {
    // A folder that cannot be listed has no unnamed documents. If it is missing, that is reported where a line names a document.
  }
  return unnamed.sort();
}

/** Most names whose result is cached, some 3 MB. The cache is for documents that many lines share. */
const MAX_KEPT = 10_000;

/** Messages for the system's error codes that concern a single document. Other codes mean that the disk fails. */
const LOOK_FAULTS: Record<string, string> = {
  EACCES: 'may not be read by this user: change its permissions.',
  EPERM: 'may not be read by this user: change its permissions.',
  ELOOP: 'is a link that leads to itself: put the document there.',
  ENAMETOOLONG: 'is too long for a file name: correct the name.',
};

/** Why a name can be no document's name, whatever is on the disk; null if it can be one. */
function nameProblem(name: string): string | null {
  if (name.includes('\\')) return `${name} has backslashes: write / between folder and file.`;
  if (/^(\/|~\/|[a-z]:)/i.test(name)) return `${name} is an absolute path: write it from the documents folder on.`;
  if (name.split('/').includes('..')) return `${name} is outside the documents folder: write it without "..".`;
  return name.includes('\0') ? 'The name has a character that no file name can have: correct the name.' : null;
}

/** Whether a path is a folder or lies below it; both are whole paths. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}

/**
 * Finds which file was meant by a name that no file has.
 *
 * @param root the folder of documents. Its listings are cached, since a wrongly mapped column gives a wrong name on every line
 */
function makeNameFinder({ root }: { root: string }) {
  const listings = new Map<string, Promise<Map<string, string>>>();

  function listing(dir: string): Promise<Map<string, string>> {
    const known = listings.get(dir);
    if (known) return known;
    if (listings.size >= MAX_FOLDERS) listings.clear();
    const names = list(dir);
    listings.set(dir, names);
    return names;
  }

  return {
    /** A name in the folder that differs only in case, Unicode form, spaces or punctuation; otherwise null. */
    async near(name: string): Promise<string | null> {
      let way = '';
      for (const part of name.split('/')) {
        const names = await listing(join(root, way));
        const found = names.get(foldedName(part)) ?? names.get(looseName(part));
        if (found === undefined) return null;
        way = way === '' ? found : `${way}/${found}`;
      }
      return way;
    },
  };
}

/** The name in lower case and in NFC. Some file systems ignore case, and macOS decomposes letters. */
export function foldedName(name: string): string {
  return normal(name.toLowerCase());
}

/**
 * The letters and digits of a name alone: `Audit_2025.PDF` and `audit 2025.pdf` have the same. It is for comparisons only; no file is
 * opened by it.
 */
const looseName = (name: string): string => `/${foldedName(name).replace(/[^\p{L}\p{N}]/gu, '')}`;

const MAX_FOLDERS = 100;

/** Most names of one folder that are listed, some 2 MB. In a larger folder, the file that was meant may not be found. */
const MAX_NAMES = 20_000;

/** A folder's names by their {@link foldedName} and their {@link looseName}; empty if it cannot be read. */
async function list(dir: string): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  try {
    for await (const entry of await opendir(dir)) {
      names.set(foldedName(entry.name), entry.name);
      names.set(looseName(entry.name), entry.name);
      if (names.size >= 2 * MAX_NAMES) break;
    }
  } catch {
    // A folder that cannot be read has no names here. The caller, which reads it too, reports the fault.
  }
  return names;
}
