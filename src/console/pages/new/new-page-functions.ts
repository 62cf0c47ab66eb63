import type { Approval, ApprovalPolicy } from '../../../ledger/schema/approval.ts';
import type { DraftDesk } from '../../../portfolio/draft-desk.ts';

/** Functions for the pages that create a portfolio. */
export type NewPageFunctions = DraftDesk & {
  portfolioNames(): Promise<string[]>;
  /** The account's current rules for which requests need another person's approval. */
  approvalPolicy(): Promise<ApprovalPolicy>;
  /** The first of these people who would exceed their limit, with this sum added to what they requested lately without approval. */
  personOver(people: readonly string[], sum: string, policy: ApprovalPolicy): Promise<Approval['over']>;
  /** The largest upload, counting all of its files. */
  maxUploadMb: number;
};
