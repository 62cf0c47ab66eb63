import type { Person, Role } from '../../people/person.ts';

/** Who works with single rows, and so with the people that a file names as contacts. */
const WORKS_WITH_ROWS: ReadonlySet<Role> = new Set(['finance', 'approver', 'operator']);

/**
 * Whether personal data is masked for a person: for whoever has no role that works with rows, so for a viewer, for an admin who
 * is nothing else, and for somebody without any role. Pure (OWASP ASVS 5.0, 8.2.3: fields are for those who need them).
 */
export function isMasked({ roles }: Pick<Person, 'roles'>): boolean {
  return !roles.some((role) => WORKS_WITH_ROWS.has(role));
}
