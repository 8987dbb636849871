/**
 * The API server's text about a failure, without quotations from objects: an invalid value, or the text of an admission
 * webhook or policy, may contain a secret. All other texts contain only names, counts and permissions.
 */
export function textWithoutValues({ status, message }: { status: number; message: string }): string {
  const denial = /^(.*? denied (?:the )?request)\b/s.exec(message)?.[1];
  if (denial !== undefined) return `${denial}: [redacted]`;
  if (status !== 422) return message;
  const head = /^(.*?"[^"]*" is invalid)\b/s.exec(message)?.[1];
  return head === undefined ? '[redacted]' : `${head}: [redacted]`;
}
