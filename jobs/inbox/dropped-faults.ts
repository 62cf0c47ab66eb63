import { documentsNameOf, portfolioOf } from './dropped-names.ts';
import type { Dropped } from './look.ts';

const KINDS = {
  link: 'is a link, and links are not followed: drop the file itself',
  folder:
    'is a folder: drop the file itself, and its documents in a folder or a ZIP file of its name without the ending',
  other: 'is a pipe, a socket or a device: drop a file',
};

/**
 * Why a file cannot be taken whatever is in it, in a sentence with what to do; nothing where it can.
 *
 * @param all what else has settled in the folder at this moment
 */
export function faultOfDropped(
  one: Dropped,
  all: readonly Dropped[],
  { maxUploadMb }: { maxUploadMb: number },
): string | undefined {
  const { name, kind, isReadable, sizeBytes, documents } = one;
  if (!isReadable)
    return `The name ${name} is not written in UTF-8, so that nobody can tell it: rename the file, and drop it again.`;
  if (kind !== 'file') return `${name} ${KINDS[kind]}.`;
  const portfolio = portfolioOf(name);
  if (portfolio === undefined) {
    return `${name} is to be imported into the portfolio that it is named after, and there is no letter or digit in its name: rename it, and drop it again.`;
  }
  const twins = all.filter((other) => other !== one && other.kind === 'file' && portfolioOf(other.name) === portfolio);
  if (twins.length > 0) {
    const others = twins.map((other) => other.name).join(', ');
    return `${name} lay there together with ${others}, and both would go into portfolio ${portfolio}: which of them is meant cannot be told. Drop the one that is meant again, or both under different names.`;
  }
  if (documents.length > 1) {
    const own = documentsNameOf(name);
    return `Beside ${name} lay a folder ${own} as well as a ZIP file of that name, and which has its documents cannot be told: drop it again with one of them.`;
  }
  if (sizeBytes <= maxUploadMb * 1024 * 1024) return undefined;
  return `${name} has ${Math.ceil(sizeBytes / 1024 / 1024).toLocaleString('en')} MB, and files of at most ${maxUploadMb.toLocaleString('en')} MB are taken from the drop folder: raise CONSOLE_UPLOAD_MB, or import it with npx limitline import.`;
}
