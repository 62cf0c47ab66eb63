import type { CheckName, Finding, FoundItem } from './checks.ts';

/**
 * How a finding of one night stands to the same one (check, portfolio and words) of the report before. Where that report did not
 * tell all findings of the check apart, nothing is said.
 */
export const CHANGES = ['new', 'more', 'fewer', 'same', 'gone'] as const;
export type FindingChange = (typeof CHANGES)[number];

/**
 * The parts of a report, in its order: what a person has to do something about, what finance should know, what was mended, and
 * what was in the report before and is no more.
 */
export const SECTIONS = ['person', 'finance', 'mended', 'gone'] as const;
export type SectionName = (typeof SECTIONS)[number];

/** A finding as a report has it, without its examples, which are read where they are shown. */
export type ReportFinding = Omit<Finding, 'examples'> & {
  change?: FindingChange;
  /** Rows in the report before; where it was there. */
  rowsBefore?: number;
};

/** The findings of one check in one part of a report, which stand behind each other. */
export type ReportGroup = {
  section: SectionName;
  check: CheckName;
  /** The number of its first finding in the report, from 0. */
  from: number;
  findings: number;
  rows: number;
  /** What its rows asked for together, exact decimal text; left out where none did. */
  sum?: string;
  /** Findings by how they changed. */
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

/** What is kept of a night: all of it but its findings. */
export type NightReport = {
  /** Of the night: the moment for which it was due. */
  id: string;
  account: string;
  /** `nightly`, or who asked for it. */
  by: string;
  /** When it was due, was begun, and was done, in ms. */
  atMs: number;
  beganMs: number;
  madeMs: number;
  /** How much was looked at; `notes` say what could not be, in sentences. */
  looked: { portfolios: number; rows?: number; notes?: readonly string[] };
  /** Things found, as the file of all items has them; and findings, less those that are there no more. */
  items: number;
  findings: number;
  groups: readonly ReportGroup[];
  /** The report that it was compared with. */
  before?: { id: string; madeMs: number };
  /** Checks that found more than can be told apart; what is above stands together as one finding a check. */
  crowded: readonly CheckName[];
  files?: ReportFiles;
  /** Why there are no files. */
  fault?: string;
};

/** A report with its findings and their examples, as it is made. */
export type WholeReport = {
  report: Omit<NightReport, 'files' | 'fault'>;
  findings: readonly (ReportFinding & { examples: readonly FoundItem[] })[];
};

/** How many findings stand in a report, those that are there no more among them. */
export function countAll({ groups }: Pick<NightReport, 'groups'>): number {
  return groups.reduce((sum, { findings }) => sum + findings, 0);
}
