/** JSON escapes of characters that Postgres cannot store in text or jsonb: U+0000 and unpaired surrogates. */
const SUSPECT = /\\u0000|\\u[dD][89a-fA-F][0-9a-fA-F]{2}/;

/**
 * Replaces characters that Postgres cannot store by U+FFFD. The ledger keeps them (a container's termination message
 * may contain any), and the digest remains that of the ledger. `text`: the event's JSON, in which such characters are
 * always escaped.
 */
export function storable<T>(event: T, text: string): T {
  return text.includes(String.raw`\u`) && SUSPECT.test(text) ? (cleaned(event) as T) : event;
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return cleanedText(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [cleanedText(key), cleaned(part)]));
}

function cleanedText(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\uFFFD').replaceAll('\u0000', '\uFFFD');
}
