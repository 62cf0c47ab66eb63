import type { Rights } from '../access/access.ts';
import type { Right } from '../access/access-table.ts';
import { can } from '../access/can.ts';

/** The places of the navigation, and that of one's own account, which stands in a menu (layout.ts). */
export type Place =
  | 'portfolios'
  | 'new'
  | 'held'
  | 'approvals'
  | 'nightly'
  | 'queues'
  | 'health'
  | 'users'
  | 'audit'
  | 'people';

type PlaceLink = { at: Place; href: string; words: string; right: Right };

const PLACES: readonly PlaceLink[] = [
  { at: 'portfolios', href: '/', words: 'Portfolios', right: 'GET /' },
  { at: 'new', href: '/new', words: 'New', right: 'GET /new' },
  { at: 'held', href: '/held', words: 'Held', right: 'GET /held' },
  { at: 'approvals', href: '/approvals', words: 'Approvals', right: 'GET /approvals' },
  { at: 'nightly', href: '/nightly', words: 'Nightly', right: 'GET /nightly' },
  { at: 'queues', href: '/work', words: 'Queues', right: 'GET /work' },
  { at: 'health', href: '/health', words: 'Health', right: 'GET /health' },
  { at: 'users', href: '/users', words: 'Users', right: 'GET /users' },
  { at: 'audit', href: '/audit', words: 'Audit', right: 'GET /audit' },
];

/** Those that somebody may go to, in the order in which they are shown. */
export function placesOf(rights: Rights): readonly PlaceLink[] {
  return PLACES.filter(({ right }) => can(rights, right));
}
