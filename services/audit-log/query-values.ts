/** The maximum number of pairs: API servers ignore a query with more pairs. */
const MOST_PAIRS = 10_000;

/** The values of a name in the query of a URI, as API servers read it (`url.Query` of Go). */
export function queryValues(uri: string, name: string): string[] {
  const [, query] = splitAt(uri, '?');
  const pairs = query.split('&');
  if (pairs.length > MOST_PAIRS) return [];
  return pairs.flatMap((pair) => {
    const [key, value] = splitAt(pair, '=').map(tryUnescape);
    return key === name && typeof value === 'string' && !pair.includes(';') ? [value] : [];
  });
}

function splitAt(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** The unescaped text; null when an escape is broken. */
function tryUnescape(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}
