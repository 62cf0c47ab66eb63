/** `820 bytes`, `12 kB`, `3.4 MB`: in units of a thousand, as disks are sold. */
export function sizeWords(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  const [unit, name] = bytes < 1_000_000_000 ? [1_000_000, 'MB'] : [1_000_000_000, 'GB'];
  return `${(bytes / unit).toFixed(1)} ${name}`;
}
