import type { Approval, ApprovalPolicy } from '../../../ledger/schema/approval.ts';
import type { DraftDesk } from '../../../portfolio/draft-desk.ts';

/** What the pages of a new portfolio are handed. */
export type NewPageFunctions = DraftDesk & {
  /** Names of the account's portfolios. */
  portfolioNames(): Promise<string[]>;
  /** What another person has to approve at this moment. */
  approvalPolicy(): Promise<ApprovalPolicy>;
  /** Which of these people would ask for more than one person may, with this sum and what passed of theirs. */
  personOver(people: readonly string[], sum: string, policy: ApprovalPolicy): Promise<Approval['over']>;
  /** The most that an upload may be, all of its files together. */
  maxUploadMb: number;
};
