import type { Role } from '../../people/person.ts';
import { type Access, allowedsOf } from './access.ts';

/** More names than this are no help to whoever looks for one. */
const MOST_NAMES = 5;

/**
 * Why somebody may not, what it takes, and whom to ask for it. Nothing is said of the thing itself, nor whether there is one.
 *
 * @param given.by who they are: an admin is not told to ask themselves
 * @param given.roles theirs
 * @param given.admins by name; none where they are not known
 */
export function refusalWords(
  access: Access,
  given: { kind: string | undefined; by?: string; roles: readonly Role[]; admins: readonly string[] },
): string {
  const { kind, by, roles } = given;
  const admins = given.admins.filter((name) => name !== by);
  const takes = allowedsOf(access, kind).map(({ roles: all = [], own = [] }) => {
    const ways = [
      ...(all.length === 0 ? [] : [`the role ${listed(all, 'or')}`]),
      ...(own.length === 0 ? [] : [`the role ${listed(own, 'or')} and a portfolio into which nobody else imported`]),
    ];
    return ways.join(', or ');
  });
  const wanted = [...new Set(takes)].filter((one) => one !== '').join('; and besides ');
  const have =
    roles.length === 0 ? 'You have no role' : `You have the role${roles.length > 1 ? 's' : ''} ${listed(roles, 'and')}`;
  const ask = roles.includes('admin')
    ? 'Who has which role is set under Users'
    : admins.length === 0
      ? 'Ask whoever runs Limitline for it'
      : `Ask ${listed(admins.slice(0, MOST_NAMES), 'or')} for it, who ${admins.length === 1 ? 'looks' : 'look'} after the roles`;
  return `${wanted === '' ? 'Nobody may do this here' : `This takes ${wanted}`}. ${have}. ${ask}. Nothing was done.`;
}

/** `finance`, `finance or operator`, `viewer, finance or operator`. */
function listed(words: readonly string[], last: 'or' | 'and'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}
