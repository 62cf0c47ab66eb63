import { ROLES, type Role } from '../person.ts';

/** What the people of one group of the identity provider may do. */
export type GroupRoles = { group: string; roles: Role[] };

/**
 * The pairs of `CONSOLE_OIDC_ROLES`, `group=role+role`, as texts: commas stand between them, or semicolons where a group has a
 * comma in its name, as those of directories have.
 */
export function splitGroupRoles(text: string): string[] {
  return text
    .split(text.includes(';') ? ';' : ',')
    .map((pair) => pair.trim())
    .filter(Boolean);
}

/** One pair, at its last `=`, since directories have others in the names of groups. Undefined for what is none. */
export function readGroupRoles(pair: string): GroupRoles | undefined {
  const [, group = '', names = ''] = /^(.*\S)\s*=([^=]*)$/.exec(pair) ?? [];
  const roles = names.split('+').map((name) => name.trim());
  return group !== '' && roles.every(isRole) ? { group: group.trim(), roles } : undefined;
}

/** The roles of somebody of these groups, in the order of {@link ROLES}. */
export function rolesOfGroups(groups: readonly string[], map: readonly GroupRoles[]): Role[] {
  const found = new Set(map.filter(({ group }) => groups.includes(group)).flatMap(({ roles }) => roles));
  return ROLES.filter((role) => found.has(role));
}

/**
 * The groups that a claim names: texts in a list, or one text. The claim's name is one word, an address, or a path by dots
 * (`realm_access.roles`).
 */
export function groupsOf(claims: Readonly<Record<string, unknown>>, claim: string): string[] {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : atPath(claims, claim.split('.'));
  return (Array.isArray(value) ? value : [value]).filter((group) => typeof group === 'string');
}

function atPath(from: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return from;
  if (typeof from !== 'object' || from === null || !Object.hasOwn(from, name)) return undefined;
  return atPath(Reflect.get(from, name), rest);
}

function isRole(name: string): name is Role {
  return (ROLES as readonly string[]).includes(name);
}
