/** Roles, in any combination. Each page's declaration says which may use it (src/console/pages). */
export const ROLES = ['viewer', 'finance', 'approver', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** A person who makes a request. `by` is unique, and is the name in histories, approvals and the audit trail. */
export type Person = {
  /**
   * `alice` for a user, `alice@example.com (sso 4f6d2a)` for a person of an identity provider, `command line (root)` for a system user, also
   * in a console without users.
   */
  by: string;
  roles: readonly Role[];
};

/** A person who is unknown, or has a step of signing in left: may do and see nothing. */
export const NOBODY: Person = { by: '', roles: [] };
