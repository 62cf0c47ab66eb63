/** Longer names are cut, before their ending: file systems take 255 bytes. */
const MOST_CHARACTERS = 120;

/**
 * The header `Content-Disposition` of a file that is saved under this name and never shown (RFC 6266, RFC 5987): what a path,
 * a quotation mark or a line end could be made of is replaced, and names of other scripts stand in the form that has them.
 */
export function attachmentOf(fileName: string): string {
  const name = safeName(fileName);
  const ascii = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7E]/g, '_')
    .replace(/["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** A name that is no path on any system, hidden on none, and no device on Windows. */
export function safeName(fileName: string): string {
  const last = fileName.toWellFormed().replace(/^.*[/\\]/s, '');
  const plain = last.replace(/[\p{Cc}\p{Cf}<>:"/\\|?*]/gu, '_').replace(/^[\s.]+|[\s.]+$/g, '');
  const ending = /\.[A-Za-z0-9]{1,5}$/.exec(plain)?.[0] ?? '';
  const stem = plain.slice(0, plain.length - ending.length);
  const cut = [...stem].slice(0, MOST_CHARACTERS).join('');
  return cut === '' || DEVICES.test(cut) ? `file_${cut}${ending}` : `${cut}${ending}`;
}

const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;
