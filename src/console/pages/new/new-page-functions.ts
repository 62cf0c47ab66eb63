import type { ApprovalPolicy } from '../../../ledger/approvals/approval.ts';
import type { DraftDesk } from '../../../portfolio/draft-desk.ts';

/** What the pages of a new portfolio are handed. */
export type NewPageFunctions = DraftDesk & {
  /** Names of the account's portfolios. */
  portfolioNames(): Promise<string[]>;
  /** What another person has to approve at this moment. */
  approvalPolicy(): Promise<ApprovalPolicy>;
  /** The most that an upload may be, all of its files together. */
  maxUploadMb: number;
};
