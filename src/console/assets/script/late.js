/** Fills an element with the fragment behind its first link, which takes longer than a page may. */
export async function start(element) {
  const link = element.querySelector('a[href]');
  if (!link) return;
  try {
    const response = await fetch(link.href, { headers: { 'x-fragment': '1', 'x-by-itself': '1' } });
    if (response.ok) element.innerHTML = await response.text();
  } catch {
    // The link remains, and opens a page with the same.
  }
}
