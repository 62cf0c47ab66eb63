/**
 * The nightly checks, in the order of the report. `ledger`: records that contradict each other; a certain finding is mended at once, any
 * other is left to a person. `finance`: facts that finance wants to know.
 */
export const CHECKS = {
  counts: { kind: 'ledger', title: 'Counts and sums that were not those of the rows' },
  indexes: { kind: 'ledger', title: 'Rows that lists and searches showed wrongly' },
  approvals: { kind: 'ledger', title: 'Approvals that did not agree with the rows that wait for them' },
  'no job': { kind: 'ledger', title: 'Rows in progress that had no job' },
  'no row': { kind: 'ledger', title: 'Jobs that belonged to no row' },
  'old claims': { kind: 'ledger', title: 'Calls under way for longer than any call takes' },
  calls: { kind: 'ledger', title: 'Rows that do not agree with their calls' },
  'buyer lists': { kind: 'ledger', title: "Buyers' lists that do not agree with the limits made" },
  files: { kind: 'ledger', title: 'Imported files that are missing or damaged' },
  documents: { kind: 'ledger', title: 'Documents that are missing, or that nobody names' },
  audit: { kind: 'ledger', title: 'Entries of the audit trail that are missing or changed' },
  archives: { kind: 'ledger', title: 'Archives that are missing or changed, or did not come to an end' },
  'made twice': { kind: 'finance', title: 'Made twice' },
  'several limits': { kind: 'finance', title: 'Buyers with several limits in one portfolio' },
  'shared company': { kind: 'finance', title: 'Company ids that are used for two buyers' },
  'answered otherwise': { kind: 'finance', title: 'Answered otherwise than was sent' },
  'not requested': {
    kind: 'finance',
    title: "Named by the day's files and not requested, or waiting to be sent again",
  },
  events: { kind: 'finance', title: 'What the service reported by events' },
  held: { kind: 'finance', title: 'A person must say what became of the request' },
  refused: { kind: 'finance', title: 'Rejected by the service' },
  'no supplier': { kind: 'finance', title: 'Portfolios without their supplier' },
  'granted below': { kind: 'finance', title: 'Granted less than requested' },
  'long review': { kind: 'finance', title: 'Under review for long' },
  'other status': { kind: 'finance', title: 'Limits that are not approved' },
  'no statements': { kind: 'finance', title: 'Large limits without audited statements' },
  'old statements': { kind: 'finance', title: 'Large limits with statements older than 22 months' },
  'no limit': { kind: 'finance', title: 'Buyers whose requests were all rejected or given up' },
} as const satisfies Readonly<Record<string, { kind: 'ledger' | 'finance'; title: string }>>;

export type CheckName = keyof typeof CHECKS;

/** One thing that a check found, mostly a row. */
export type FoundItem = {
  check: CheckName;
  /** Name of the item's portfolio; `""` if the item belongs to none. */
  portfolio: string;
  key?: string;
  line?: number;
  /** The buyer's name. */
  name?: string;
  requested?: string;
  granted?: string;
  /** The total that the service named beside a status that does not mean approved, so that nobody was granted it. */
  named?: string;
  /** The currency of the item's amounts, if the item belongs to no portfolio and its file names one. */
  currency?: string;
  /** One sentence without names; items of one portfolio with the same sentence are one finding. */
  says: string;
  /** Details that only this item has, such as an id or a date. */
  detail?: string;
  /** Number of rows concerned; 1 if left out. */
  rows?: number;
  /** When the problem began, in ms, if that is known. */
  sinceMs?: number;
  isMended: boolean;
  /** The command that mends what was found, without `limitline`. */
  command?: string;
};

/** Receives items of the checks; it keeps only counts and a few examples in memory. */
export type FoundSink = { found(item: FoundItem): void | Promise<void> };

/** Items with the same check, portfolio and words: one line of the report. */
export type Finding = {
  check: CheckName;
  portfolio: string;
  /** The sentence `says` of the finding's items. */
  finding: string;
  rows: number;
  /** The sum that the finding's rows requested, as exact decimal text; left out if it is not known. */
  sum?: string;
  /** The sum that the service granted to these rows, in the same form. */
  granted?: string;
  /** The portfolios concerned, if this finding sums up all findings of its check beyond the most that are listed. */
  portfolios?: readonly string[];
  /** The currency of the sums, if all files of the portfolio name one; `isMixed`: they name several, so there are no sums. */
  currency?: string;
  isMixed?: true;
  isMended: boolean;
  /** Commands that mend the first items. */
  commands: readonly string[];
  examples: readonly FoundItem[];
  /** The earliest `sinceMs` of the finding's items. */
  sinceMs?: number;
};

/**
 * The changes of a finding since the previous report, compared with the finding of the same check, portfolio and words. A finding has no
 * change if that report did not list all findings of the check.
 */
export const CHANGES = ['new', 'more', 'fewer', 'sums', 'same', 'gone'] as const;
export type FindingChange = (typeof CHANGES)[number];

/** The sections of a report, in order: tasks for a person, facts for finance, what was mended, and findings that are gone. */
export const SECTIONS = ['person', 'finance', 'mended', 'gone'] as const;
export type SectionName = (typeof SECTIONS)[number];

/** A finding in a report, without its examples, which are read on demand. */
export type ReportFinding = Omit<Finding, 'examples'> & {
  change?: FindingChange;
  /** Rows in the previous report, if the finding was in it. */
  rowsBefore?: number;
};

/** The findings of one check in one section, which follow each other. */
export type ReportGroup = {
  section: SectionName;
  check: CheckName;
  /** The number of the group's first finding in the report, from 0. */
  from: number;
  findings: number;
  rows: number;
  /** The sum that the group's rows requested, exact decimal text; left out if none did, or in several currencies. */
  sum?: string;
  currency?: string;
  /** Number of findings by how they changed since the previous report. */
  changes: Partial<Record<FindingChange, number>>;
};

/** Files of a report in the data folder of the host that made it. */
export type ReportFiles = {
  host: string;
  /** The folder of the night, with the whole path. */
  folder: string;
  /** Name of the CSV of all items. */
  items: string;
  /** Name of the file to be printed, where there is one. */
  page?: string;
};

export type NightReport = {
  /** The due time of the night. */
  id: string;
  account: string;
  /** Who asked for the report: a person, or `nightly`. */
  by: string;
  /** When the run that made the report was due, began, and ended, in ms. */
  atMs: number;
  beganMs: number;
  madeMs: number;
  /** What was checked; `notes` are sentences on what could not be. */
  looked: { portfolios: number; rows?: number; notes?: readonly string[] };
  /** Number of items in the file of all items; and of findings, without those that are gone. */
  items: number;
  findings: number;
  groups: readonly ReportGroup[];
  /** The previous report, with which this one was compared. */
  before?: { id: string; madeMs: number };
  /** Checks with too many findings to list. For each of them, one finding sums up those that are not listed. */
  crowded: readonly CheckName[];
  files?: ReportFiles;
  /** The reason why the report has no files in the data folder; undefined if it has files. */
  fault?: string;
};

/** A report with its findings and their examples, as it is made. */
export type WholeReport = {
  report: Omit<NightReport, 'files' | 'fault'>;
  findings: readonly (ReportFinding & { examples: readonly FoundItem[] })[];
};

export function countAll({ groups }: Pick<NightReport, 'groups'>): number {
  return groups.reduce((sum, { findings }) => sum + findings, 0);
}
