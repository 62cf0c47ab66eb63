import type { PortfolioDraft } from '../../src/portfolio/portfolio-draft.ts';

/** A draft as it is after the upload of its file. */
export const DRAFT: Omit<PortfolioDraft, 'id'> = {
  name: 'q4.csv',
  uploadedMs: 1,
  versions: [{ number: 1, sha256: '', sizeBytes: 1, madeMs: 1, mended: 0, cells: [], leftOut: [] }],
  documents: [],
  supplier: null,
  isArchive: false,
  reading: {},
  portfolio: 'q4',
  form: null,
  keptFrom: null,
  offered: null,
  readBy: [],
  submitted: null,
  authors: [],
};
