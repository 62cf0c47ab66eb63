/** Where an event of the service is shown as it came. */
export function eventAddress(id: string): string {
  return `/service-events/${encodeURIComponent(id)}`;
}
