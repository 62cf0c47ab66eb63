/** What waits: the rows of an import, refused rows that are to be sent again, held rows whose call somebody answered. */
export type ApprovalKind = 'import' | 'retry' | 'answer';

/**
 * `open` while an import still brings rows in, `waiting` for somebody, `granted` (by a person, or since the sum is below the
 * limit), `declined`, `void` where nothing of it is left.
 */
export type ApprovalStanding = 'open' | 'waiting' | 'granted' | 'declined' | 'void';

/** What another person is asked to approve. Amounts are exact decimal text, times ms of the server's clock. */
export type Approval = {
  id: string;
  portfolio: string;
  kind: ApprovalKind;
  standing: ApprovalStanding;
  /** Who may not approve it: whoever submitted it, uploaded it or mended it. */
  authors: readonly string[];
  askedMs: number;
  /** What it binds: whatever changes one of these changes `digest`, and an answer to another digest is not heard. */
  file: { name: string; sha256: string; reading: string } | undefined;
  rows: number;
  sum: string;
  /** 43 letters, base64url of SHA-256 over kind, file, reading, rows and sum. */
  digest: string;
  /** Who answered, when, and in what words. */
  answered: { by: string; atMs: number; words: string } | undefined;
};
