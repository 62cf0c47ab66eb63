import { isKnownName } from '../columns/aliases.ts';
import type { Column } from '../columns/column.ts';
import { errorColumnsOf } from '../columns/result-columns.ts';
import type { LineRewriter } from './line-rewriter.ts';

/** One file's columns in a merged table: their names, and their indexes in the file's lines. */
export type OwnColumns = { names: string[]; places: number[] };

/**
 * Merges the columns of several files, in order of appearance. A name occurs as often as in the file that has it most
 * often. `columnsOf` has, for each file, the table's column of each of its own.
 */
export function mergeColumns(files: readonly (readonly string[])[]): { header: string[]; columnsOf: number[][] } {
  const header: string[] = [];
  const known = new Map<string, number>();
  const columnsOf = files.map((names) => {
    const times = new Map<string, number>();
    return names.map((name) => {
      const time = (times.get(name) ?? 0) + 1;
      times.set(name, time);
      // Header names have no such line break here, so different pairs never give the same id.
      const id = `${time}\n${name}`;
      const column = known.get(id) ?? header.push(name) - 1;
      known.set(id, column);
      return column;
    });
  });
  return { header, columnsOf };
}

/** The columns that the team wrote, without those that an errors file added. */
export function resultColumnsOf(header: readonly string[]): OwnColumns {
  return without(errorColumnsOf(header), header);
}

/**
 * The same for an errors file, which is read later without the mapping. If the files' headers differ, known columns get
 * our names, so that columns of one meaning become one.
 */
export function errorColumns({ rewriter, columns }: Rewritable, areAlike: boolean): OwnColumns {
  const own = without(errorColumnsOf(rewriter.header), rewriter.header);
  if (areAlike) return own;
  const names = own.places.map((place, at) => {
    const column = columns[place];
    const name = own.names[at] ?? '';
    if (column?.known) return column.known;
    return column && isKnownName(name) ? `${name} (own)` : name;
  });
  return { ...own, names };
}

type Rewritable = { rewriter: Pick<LineRewriter, 'header'>; columns: readonly Pick<Column, 'known'>[] };

function without(left: ReadonlySet<number>, header: readonly string[]): OwnColumns {
  const places = header.flatMap((_name, place) => (left.has(place) ? [] : [place]));
  return { names: places.map((place) => header[place] ?? ''), places };
}
