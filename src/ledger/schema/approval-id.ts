/** An approval by its portfolio and its id. */
export type ApprovalId = { portfolio: string; id: string };

/** `<portfolio>/<id>`, as lists of approvals have them; ids have no slash, and neither have names. */
export function approvalIdOf(name: string): ApprovalId {
  const slash = name.lastIndexOf('/');
  return { portfolio: name.slice(0, slash), id: name.slice(slash + 1) };
}
