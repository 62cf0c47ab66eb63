import type { CheckName, Finding, FoundItem } from './checks.ts';

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
