/**
 * A file that was taken from a drop folder. `taken`: it is under way, or could not be brought in yet; `imported`; `again`: the same
 * was imported before, so nothing was done; `rejected`: it cannot be imported as it is.
 */
export type TakenFile = {
  /** What it is called in `done` or `rejected`, without an ending: a time and the file's name. */
  id: string;
  /** The drop folder's own name, by which it is known on every machine. */
  folder: string;
  /** What the file was called, fit to be shown. */
  name: string;
  /** What lay beside it when it was taken, by their names in the drop folder. */
  documents: readonly string[];
  /** `""` where its name gives none. */
  portfolio: string;
  atMs: number;
  is: 'taken' | 'imported' | 'again' | 'rejected';
  /** What became of it, or why nothing did yet, in a sentence. */
  words: string;
  /** Who put it and its documents there, the file's owner first, and who said how it is read; once it was looked at. */
  by?: readonly string[];
  /** How it is read, as JSON; once it was looked at. */
  reading?: string;
  /** Digest of the file, its documents and how it is read; once it was looked at. */
  content?: string;
  /** Digest and size of what was taken in, and by which size and time of change the file on the disk is known to be as it was last seen. */
  seen?: { sha256: string; bytes: number; version: string };
  /** Of a file that was imported. */
  found?: { lines: number; rows: number; invalid: number; duplicate: number };
  /** What its results are called in `done`; `""` where they could not be written. */
  results?: string;
};
