/** What somebody may be allowed to do; in any combination. Which addresses each may use: src/console/access/access-table.ts. */
export const ROLES = ['viewer', 'finance', 'approver', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Who asks. `by` is unique, and how others read of them: in stories, approvals and the audit. */
export type Person = {
  /**
   * `alice` for a user of ours, `alice@example.com (sso 4f6d2a)` for one of an identity provider's, `command line (root)` for a user of
   * the system, also in a console without users.
   */
  by: string;
  roles: readonly Role[];
};

/** Whoever is not known, or still has something to do before they are: may do nothing, and is shown nothing. */
export const NOBODY: Person = { by: '', roles: [] };
