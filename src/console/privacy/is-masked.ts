import type { Person, Role } from '../../people/person.ts';

/** The roles that work with single rows, and so need the contacts in a file. */
const WORKS_WITH_ROWS: ReadonlySet<Role> = new Set(['finance', 'approver', 'operator']);

/**
 * Whether personal data is masked for a person: for everybody without a role that works with rows, such as viewers and plain
 * admins. Pure (OWASP ASVS 5.0, 8.2.3: fields are for those who need them).
 */
export function isMasked({ roles }: Pick<Person, 'roles'>): boolean {
  return !roles.some((role) => WORKS_WITH_ROWS.has(role));
}
