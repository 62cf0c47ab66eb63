import { userInfo } from 'node:os';

/** The actor that earlier versions wrote for a console without users. No user may have this name. */
export const CONSOLE_ACTOR = 'console';

/** What stands between a system user and the user who called `sudo` to become that user. */
const CALLED_BY = ', by sudo of ';

/** A name of a system user: nothing in it can be read as the end of an actor. */
const SYSTEM_NAME = /^[^(),\p{C}]{1,256}$/u;

/**
 * The actor of a command: the system user who runs it, or who called `sudo` for it. Where `sudo` leads to another user than root, both are
 * named: anybody but root could set SUDO_USER, so it only adds a name. A container's user may have no name.
 */
export function commandLineActor(): string {
  const uid = process.getuid?.();
  const { SUDO_USER: caller = '' } = process.env;
  if (uid === 0 && caller) return `command line (${caller})`;
  const own = nameOfUser(uid);
  return `command line (${own}${caller !== own && SYSTEM_NAME.test(caller) ? CALLED_BY + caller : ''})`;
}

/** The people of an actor, each as an actor: two for a command under `sudo` to another user than root, else one. */
export function actorsOf(by: string): string[] {
  const [, names = ''] = /^command line \((.*)\)$/s.exec(by) ?? [];
  return names.includes(CALLED_BY) ? names.split(CALLED_BY).map((name) => `command line (${name})`) : [by];
}

function nameOfUser(uid: number | undefined): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${uid ?? 'unknown'}`;
  }
}

/** The actor who put something into the drop folder: the system user who owns it. */
export function dropActor(user: string): string {
  return `drop folder (${user})`;
}

export function isDropActor(by: string): boolean {
  // Earlier versions wrote `inbox` for every file.
  return by.startsWith('drop folder (') || by === 'inbox';
}

/** Whether an actor is the person whom a setting names: by a user's name, or by a provider's name with or without its ending `(sso …)`. */
export function isNamed(name: string, by: string): boolean {
  const [wanted, given] = [name, by].map((text) => text.normalize('NFKC').toLowerCase());
  return given === wanted || (given?.startsWith(`${wanted} (sso `) ?? false);
}

/** The short name of an actor, common to all names under which the person acts, and to namesakes. */
export function personOf(by: string): string {
  return shortOf(kindOf(by).name);
}

/**
 * Whether two actors may be one person. Users, people of an identity provider and system users (commands, dropped files) have names of
 * different kinds. Within a kind, equal names are one person; the digits of a provider's person are left out, since another issuer, client
 * or account there gives the same person other digits. Between kinds, equal short names are: `alice`, `command line (alice)` and
 * `alice@example.com (sso 4f6d2a)`. So are those of two people of providers if one has no domain, as after another issuer. So nobody approves
 * their own request under another name, though a namesake may be kept from it.
 */
export function isSamePerson(one: string, other: string): boolean {
  const [a, b] = [kindOf(one), kindOf(other)];
  const [first, second] = [withoutDigits(a), withoutDigits(b)];
  const isByIssuers = a.kind === 'provider' && !(first.includes('@') && second.includes('@'));
  return a.kind === b.kind && !isByIssuers ? first === second : shortOf(a.name) === shortOf(b.name);
}

/** Whether an actor is a system user, by a command or in a console without users. */
export function isOfSystem(by: string): boolean {
  return kindOf(by).kind === 'system';
}

/** Whether an actor is a person of an identity provider. */
export function isOfProvider(by: string): boolean {
  return kindOf(by).kind === 'provider';
}

type Kind = { kind: 'system' | 'provider' | 'user'; name: string };

function kindOf(by: string): Kind {
  const folded = by.normalize('NFKC').toLowerCase();
  // Comes first: people of a provider choose their own names, even `command line`.
  if (/ \(sso [0-9a-f]+\)$/.test(folded)) return { kind: 'provider', name: folded };
  if (folded === CONSOLE_ACTOR) return { kind: 'system', name: folded };
  const [, system] = /^(?:command line|drop folder) \((.*)\)$/s.exec(folded) ?? [];
  return system === undefined ? { kind: 'user', name: folded } : { kind: 'system', name: system };
}

function withoutDigits({ kind, name }: Kind): string {
  return kind === 'provider' ? name.replace(/ \(sso [0-9a-f]+\)$/, '') : name;
}

/** Drops the domain and the provider's part of a name. A system name may be `DOMAIN\alice`. */
function shortOf(name: string): string {
  const [whose = ''] = name.split(' (sso ');
  return whose.split('@')[0]?.split('\\').at(-1) ?? '';
}
