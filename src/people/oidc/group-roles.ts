import { ROLES, type Role } from '../person.ts';

/** The roles of the people in one group of the identity provider. */
export type GroupRoles = { group: string; roles: Role[] };

/** The pairs `group=role+role` of `CONSOLE_OIDC_ROLES`, separated by commas, or by semicolons if a group's name contains a comma. */
export function splitGroupRoles(text: string): string[] {
  return text
    .split(text.includes(';') ? ';' : ',')
    .map((pair) => pair.trim())
    .filter(Boolean);
}

/** Reads one pair, split at its last `=`, since names of groups may contain others. Undefined if invalid. */
export function readGroupRoles(pair: string): GroupRoles | undefined {
  const [, group = '', names = ''] = /^(.*\S)\s*=([^=]*)$/.exec(pair) ?? [];
  const roles = names.split('+').map((name) => name.trim());
  return group !== '' && roles.every(isRole) ? { group: group.trim(), roles } : undefined;
}

/** The roles of a person in these groups, in the order of {@link ROLES}. */
export function rolesOfGroups(groups: readonly string[], map: readonly GroupRoles[]): Role[] {
  const found = new Set(map.filter(({ group }) => groups.includes(group)).flatMap(({ roles }) => roles));
  return ROLES.filter((role) => found.has(role));
}

/** The groups whose people have this role, by the pairs of `CONSOLE_OIDC_ROLES`. */
export function groupsWith(role: Role, pairs: readonly string[]): string[] {
  return pairs.flatMap((pair) => {
    const found = readGroupRoles(pair);
    return found?.roles.includes(role) ? [found.group] : [];
  });
}

/** The groups in a claim: a list of texts, or one text. The claim's name is a word, a URL, or a path with dots (`realm_access.roles`). */
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
