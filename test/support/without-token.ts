/** A page of the console without its CSRF token, whose random letters may contain any short word. */
export function withoutToken(text: string): string {
  return text.replace(/name="(?:csrf-token|_csrf)"[^>]*>/g, '');
}
