/** The page of what waits for approval. */
export function approvalAddress(id: string): string {
  return `/approvals/${encodeURIComponent(id)}`;
}
