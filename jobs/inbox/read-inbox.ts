import { realpath } from 'node:fs/promises';
import { messageOf } from '../../src/errors.ts';
import { systemCode } from '../../src/files/file-fault.ts';
import { FAULTS } from './drop-folder.ts';
import type { InboxSource } from './inbox-deps.ts';
import { glanceAt, lookInto, pathOf } from './look.ts';
import { HINDRANCES } from './ripe-files.ts';
import { isOnSchedule } from './watch-inbox.ts';

/** More than anybody reads. So many files mean that no process takes them. */
const MOST_LYING = 50;

/** Taken files shown by default. */
const MOST_TAKEN = 50;

/** The drop folder as this host sees it, and the files taken lately. Changes nothing. */
export async function readInbox({ settings, inbox }: Pick<InboxSource, 'settings' | 'inbox'>, most = MOST_TAKEN) {
  const { LIMITLINE_INBOX: folder, LIMITLINE_INBOX_MAPPING: mapping } = settings;
  const onSchedule = isOnSchedule(settings);
  const facts = { folder, mapping, isOnSchedule: onSchedule, lately: await inbox.lately(most), nowMs: Date.now() };
  const nothing = { fault: undefined, lying: [], more: 0 };
  if (folder === undefined) return { ...facts, ...nothing };
  try {
    return { ...facts, fault: undefined, ...(await lyingIn(await realpath(folder), onSchedule)) };
  } catch (error) {
    return { ...facts, ...nothing, fault: `${folder}: ${FAULTS[systemCode(error)] ?? messageOf(error)}.` };
  }
}

async function lyingIn(dir: string, onSchedule: boolean) {
  const { buyers } = await lookInto(dir);
  const lying: { name: string; why: string }[] = [];
  for (const { raw, name, kind } of buyers.slice(0, MOST_LYING)) {
    const hindrance = kind === 'file' ? (await glanceAt(pathOf(dir, raw), name))?.hindrance : undefined;
    const waits = onSchedule ? 'it is taken when the schedule says so' : 'it is taken when it changes no more';
    lying.push({ name, why: hindrance ? HINDRANCES[hindrance] : waits });
  }
  return { lying, more: Math.max(0, buyers.length - MOST_LYING) };
}
