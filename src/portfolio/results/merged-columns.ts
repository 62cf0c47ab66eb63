import { isKnownName } from '../columns/aliases.ts';
import type { Column } from '../columns/column.ts';
import { errorColumnsOf } from '../columns/result-columns.ts';
import type { LineRewriter } from './line-rewriter.ts';

/** What of one file's cells stands in a table of several files: the names of its columns, and where each is in a line. */
export type OwnColumns = { names: string[]; places: number[] };

/**
 * Puts the columns of several files side by side: a name once, or as often as one of the files has it, in the order in which
 * they appear. `columnsOf` says for each file in which column of the table its own stand.
 */
export function mergeColumns(files: readonly (readonly string[])[]): { header: string[]; columnsOf: number[][] } {
  const header: string[] = [];
  const known = new Map<string, number>();
  const columnsOf = files.map((names) => {
    const times = new Map<string, number>();
    return names.map((name) => {
      const time = (times.get(name) ?? 0) + 1;
      times.set(name, time);
      // A name has no line break of this kind, so times and names cannot run into each other.
      const id = `${time}\n${name}`;
      const column = known.get(id) ?? header.push(name) - 1;
      known.set(id, column);
      return column;
    });
  });
  return { header, columnsOf };
}

/** The columns of a file that its team wrote; what an errors file of ours had added is left out. */
export function resultColumnsOf(header: readonly string[]): OwnColumns {
  return without(errorColumnsOf(header), header);
}

/**
 * The same for an errors file, which is read again without the mapping that explained the headers. In a table of files with
 * different headers, columns that mean something to us get our names, so that two of one meaning are one.
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
