import type { Approval, ApprovalPolicy } from '../../../ledger/schema/approval.ts';
import type { DraftDesk } from '../../../portfolio/draft-desk.ts';

/** The functions that the pages of a new portfolio get. */
export type NewPageFunctions = DraftDesk & {
  portfolioNames(): Promise<string[]>;
  /** Which requests need the approval of another person, by the current settings. */
  approvalPolicy(): Promise<ApprovalPolicy>;
  /** The first of these people whose requests of the last days exceed the limit for one person, with this sum added. */
  personOver(people: readonly string[], sum: string, policy: ApprovalPolicy): Promise<Approval['over']>;
  /** The most megabytes of an upload, all of its files together. */
  maxUploadMb: number;
};
