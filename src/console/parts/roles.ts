import { ROLES, type Role } from '../../people/person.ts';
import { type Html, html } from '../html/html.ts';
import { tick } from './form.ts';

/** What each role is for, in a few words. */
export const ROLE_WORDS: Readonly<Record<Role, string>> = {
  viewer: 'Looks at portfolios; contacts of buyers are masked, and rows are not downloaded.',
  finance: 'Uploads, previews, mends and submits, cancels and retries what is their own, and downloads.',
  approver: 'Looks at all of it, and approves what others submitted.',
  operator: 'Retries, cancels, resolves, pauses and resumes; has the queues, the held desk and downloads.',
  admin: 'Has users, sessions of others and the audit; may do nothing with portfolios by this alone.',
};

/** The roles that somebody has. */
export function roleList(roles: readonly Role[]): Html {
  return html`<span class="roles">${roles.map((role) => html`<span class="role">${role}</span>`)}</span>`;
}

/** A tick for each role, named `role-<role>`. */
export function roleTicks(roles: readonly Role[]): Html {
  return html`<fieldset class="role-ticks"><legend>Roles</legend>${ROLES.map((role) =>
    tick({ label: role, name: `role-${role}`, checked: roles.includes(role), hint: ROLE_WORDS[role] }),
  )}</fieldset>`;
}

/** The roles that were ticked. */
export function tickedRoles(fields: Readonly<Record<string, string>>): Role[] {
  return ROLES.filter((role) => fields[`role-${role}`] !== undefined);
}
