/** A page of the console without its token against forged requests, whose letters are drawn and may make any short word. */
export function withoutToken(text: string): string {
  return text.replace(/name="(?:csrf-token|_csrf)"[^>]*>/g, '');
}
