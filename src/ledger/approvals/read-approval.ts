import { createHash } from 'node:crypto';
import { sumIn } from '../counts/sums.ts';
import type { Approval, ApprovalKind, ApprovalStanding, OverOf } from '../schema/approval.ts';

/**
 * An approval; `moves`, which tells whether anything of it changed since it was read; how many noes the account had when somebody looked
 * whether one was to the same; and the key of the supplier that goes with it.
 */
export type ReadApproval = { approval: Approval; moves: string; noes: string; supplier: string };

/** An approval from its hash; nothing where there is none. */
export function readApproval(id: string, fields: Readonly<Record<string, string>>): ReadApproval | undefined {
  const { portfolio, kind, standing } = fields;
  if (portfolio === undefined || kind === undefined || standing === undefined) return undefined;
  const isAnswered = fields.answeredAt !== undefined;
  const bound = {
    id,
    portfolio,
    kind: kind as ApprovalKind,
    file:
      fields.sha256 === undefined
        ? undefined
        : { name: fields.fileName ?? '', sha256: fields.sha256, reading: fields.reading ?? '' },
    rows: Number((isAnswered ? fields.ofRows : fields.rows) ?? 0),
    sum: sumIn(fields, isAnswered ? 'asked' : 'rows'),
    redone: fields.redone,
  };
  const approval: Approval = {
    ...bound,
    standing: standing as ApprovalStanding,
    authors: authorsIn(fields),
    askedMs: Number(fields.asked),
    importId: fields.importId,
    supplierAgain:
      fields.supplierMs === undefined ? undefined : { key: fields.supplier ?? '', atMs: Number(fields.supplierMs) },
    atFirst: fields.atFirst === undefined ? undefined : { rows: Number(fields.atFirst), sum: sumIn(fields, 'first') },
    digest: approvalDigest({ ...bound, supplier: fields.supplier ?? '', no: fields.no }),
    over:
      fields.over === undefined
        ? undefined
        : {
            of: fields.over as OverOf,
            name: fields.overOf ?? '',
            sum: sumIn(fields, fields.over === 'rows' ? 'first' : 'over'),
            limit: fields.limit ?? '',
          },
    answered: isAnswered
      ? { by: fields.answeredBy ?? '', atMs: Number(fields.answeredAt), words: fields.words ?? '' }
      : undefined,
  };
  return { approval, moves: fields.moves ?? '0', noes: fields.noes ?? '', supplier: fields.supplier ?? '' };
}

const AUTHOR = 'author:';

function authorsIn(fields: Readonly<Record<string, string>>): string[] {
  const found = Object.keys(fields).filter((field) => field.startsWith(AUTHOR));
  return found.map((field) => field.slice(AUTHOR.length)).sort();
}

/** What an answer is bound to: an approval as somebody looked at it. */
type Bound = Pick<Approval, 'id' | 'portfolio' | 'kind' | 'file' | 'rows' | 'sum' | 'redone'> & {
  supplier: string;
  /** The approval by which that was. */
  no: string | undefined;
};

/**
 * Names an approval with all that it binds: which it is, the file to its last byte, how that is read, for which supplier, how many
 * rows there are, what they ask for, and who said no to any of it before. Once all rows are there they only become fewer, so whatever
 * changes one of them changes this. 43 letters, base64url of SHA-256.
 */
function approvalDigest({ id, portfolio, kind, file, supplier, rows, sum, redone, no }: Bound): string {
  const bound = [
    id,
    portfolio,
    kind,
    file?.sha256 ?? '',
    file?.reading ?? '',
    supplier,
    rows,
    sum,
    redone,
    ...(no ? [no] : []),
  ];
  return createHash('sha256').update(JSON.stringify(bound)).digest('base64url');
}
