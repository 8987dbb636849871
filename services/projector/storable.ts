/** JSON escapes of what Postgres cannot hold in text or jsonb: U+0000, and halves of surrogate pairs. */
const SUSPECT = /\\u0000|\\u[dD][89a-fA-F][0-9a-fA-F]{2}/;

/**
 * An event as Postgres can store it: characters that it cannot hold become U+FFFD. The ledger keeps them (a
 * container's termination message may have any), and the digest stays that of the ledger. `text` is its JSON: such
 * characters can stand there as escapes only.
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
