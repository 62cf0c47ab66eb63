import { type Access, isAllowed, type Rights } from './access.ts';
import { ACCESS, type Right } from './access-table.ts';

/**
 * Whether somebody may do what this address is for: what pages ask before they show a button or a link, by the same table
 * that the request is held against. What nobody may is not shown; the command that does the same may stay.
 *
 * @param rights `request.rights`, in which it is known whether the portfolio that the address names is one's own
 * @param kind where the table tells kinds apart
 */
export function can(rights: Rights, right: Right, kind?: string): boolean {
  const access: Access = ACCESS[right];
  return isAllowed(access, rights, kind);
}

/**
 * Rights as a word: what comes by events is made once for all pages of one address and one such word, so all that a piece
 * differs by for different people must be in it.
 */
export function rightsWord({ roles, owns }: Rights): string {
  return `${[...roles].sort().join('+')}${owns ? ' own' : ''}`;
}
