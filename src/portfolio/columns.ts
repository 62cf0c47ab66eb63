import { makeProblem } from './problem.ts';
import type { RawRecord } from './records.ts';
import type { Problem } from './row.ts';

/** The columns that mean something to us; all others are the finance team's own. */
export const KNOWN_COLUMNS = [
  'name',
  'country_code',
  'city',
  'street',
  'state',
  'website',
  'business_information_source',
  'business_information_id',
  'company_registration_number',
  'requested_limit',
  'contact_first_name',
  'contact_last_name',
  'contact_email',
  'supporting_documents',
  'statements_dated',
  'buyer_reference',
  'request_reference',
  'company_id',
] as const;
export type KnownColumn = (typeof KNOWN_COLUMNS)[number];

/** One column of a file. */
export type Column = {
  /** Its place, from 0. */
  index: number;
  /** Its name as the header writes it. */
  written: string;
  known: KnownColumn | null;
  /** Whether its cells must not be empty. */
  needed: boolean;
};

/**
 * Tells the columns by the header. Case does not matter, spaces and hyphens stand for underscores, and the service's
 * dotted names (`address.city`, `contact.email`) are understood. Columns that are not known are kept.
 *
 * @param needed names of columns that must be there and not be empty, own ones included.
 */
export function readHeader(header: RawRecord, needed: readonly string[]): { columns: Column[]; problems: Problem[] } {
  const wanted = new Set(needed.map(plainName));
  const problems: Problem[] = [];
  const seen = new Map<string, number>();
  const columns = header.cells.map((raw, index): Column => {
    const cell = raw.toWellFormed();
    const name = plainName(cell);
    const known = isKnown(name) ? name : null;
    const earlier = seen.get(name);
    if (earlier === undefined) seen.set(name, index);
    else if (known || wanted.has(name)) {
      const message = `The header names ${name} twice, in columns ${earlier + 1} and ${index + 1}: keep one of them.`;
      problems.push(makeProblem(header.line, cell.trim(), cell, message));
    }
    if (SWALLOWED_LINE.test(cell)) {
      const message = 'This name holds whole lines of the file: close its quotation mark at the end of the name.';
      problems.push(makeProblem(header.line, null, cell, message));
    }
    return { index, written: cell.trim(), known, needed: wanted.has(name) };
  });
  for (const name of wanted) {
    if (seen.has(name)) continue;
    const message = `The column ${name} is needed and the header has no such name. Add it, or correct its spelling.`;
    problems.push(makeProblem(header.line, name, header.cells.join(','), message));
  }
  return { columns, problems };
}

/** The one form of a column's name: `Contact.E-mail`, `contact e mail` and `contact_e_mail` are the same. */
export function plainName(written: string): string {
  const name = written
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  const dotted = /^(address|contact)\.(\w+)$/.exec(name);
  if (!dotted) return name;
  const flat = dotted[1] === 'contact' ? `contact_${dotted[2]}` : dotted[2];
  return isKnown(flat ?? '') ? (flat ?? '') : name;
}

/** Names may have two lines, as spreadsheets show them; a comma on the second is a line below the header. */
const SWALLOWED_LINE = /[\r\n].*,/s;

/** Whether a header's name, as written, is one of ours. */
export function isKnownName(written: string): boolean {
  return isKnown(plainName(written));
}

function isKnown(name: string): name is KnownColumn {
  return (KNOWN_COLUMNS as readonly string[]).includes(name);
}
