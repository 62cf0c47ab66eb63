import { userInfo } from 'node:os';

/** The actor in records of earlier versions if the console had no users. No user may have this name. */
export const CONSOLE_ACTOR = 'console';

/** The actor of a command: the system user who runs it, or who became root by `sudo`. A user in a container may have no name. */
export function commandLineActor(): string {
  const uid = process.getuid?.();
  // SUDO_USER is believed from root only: root can take any name anyway.
  if (uid === 0 && process.env.SUDO_USER) return `command line (${process.env.SUDO_USER})`;
  try {
    return `command line (${userInfo().username})`;
  } catch {
    return `command line (uid ${uid ?? 'unknown'})`;
  }
}

/** The actor of a dropped file: the system user who owns it. */
export function dropActor(user: string): string {
  return `drop folder (${user})`;
}

/** Whether an actor dropped a file into the drop folder. */
export function isDropActor(by: string): boolean {
  // Earlier versions recorded every dropped file as by `inbox`.
  return by.startsWith('drop folder (') || by === 'inbox';
}

/** Whether a setting's name means this actor: a user of the console, or a user of an identity provider with the full name. */
export function isNamed(name: string, by: string): boolean {
  const [wanted, given] = [name, by].map((text) => text.normalize('NFKC').toLowerCase());
  return given === wanted || (given?.startsWith(`${wanted} (sso `) ?? false);
}

/** The short name of an actor, without kind and domain. Different people may have the same one. */
export function personOf(by: string): string {
  return shortOf(kindOf(by).name);
}

/**
 * Whether two actors may be the same person. There are three kinds of actors: users of the console, users of an identity provider, and
 * system users, who run commands or drop files. Two actors of one kind are the same if their names are equal. Actors of different kinds are
 * the same if their short names are equal, such as `alice`, `command line (alice)` and `alice@example.com (sso 4f6d2a)`. So people cannot
 * approve their own requests under another name, though a namesake may be refused as well.
 */
export function isSamePerson(one: string, other: string): boolean {
  const [a, b] = [kindOf(one), kindOf(other)];
  return a.kind === b.kind ? a.name === b.name : shortOf(a.name) === shortOf(b.name);
}

/** Whether the actor is a system user: a command, a dropped file, or a console without users. */
export function isOfSystem(by: string): boolean {
  return kindOf(by).kind === 'system';
}

/** Whether the actor is a user of an identity provider. */
export function isOfProvider(by: string): boolean {
  return kindOf(by).kind === 'provider';
}

type Kind = { kind: 'system' | 'provider' | 'user'; name: string };

function kindOf(by: string): Kind {
  const folded = by.normalize('NFKC').toLowerCase();
  // This comes first: users of a provider choose their names, even `command line`.
  if (/ \(sso [0-9a-f]+\)$/.test(folded)) return { kind: 'provider', name: folded };
  if (folded === CONSOLE_ACTOR) return { kind: 'system', name: folded };
  const [, system] = /^(?:command line|drop folder) \((.*)\)$/s.exec(folded) ?? [];
  return system === undefined ? { kind: 'user', name: folded } : { kind: 'system', name: system };
}

/** Without the domain, and without the mark of the provider's user. A system may write `DOMAIN\alice`. */
function shortOf(name: string): string {
  const [whose = ''] = name.split(' (sso ');
  return whose.split('@')[0]?.split('\\').at(-1) ?? '';
}
