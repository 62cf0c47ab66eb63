/** User and password of an address, decoded; a percent sign that begins no character's code stands for itself. */
export function userInfoOf({ username, password }: URL): { user: string; pass: string } | undefined {
  return username === '' && password === '' ? undefined : { user: decoded(username), pass: decoded(password) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replace(/%(?![\da-f]{2})/gi, '%25'));
  } catch {
    return text;
  }
}
