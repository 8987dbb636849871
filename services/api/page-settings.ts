/** How the page signs people in with the identity provider, as its discovery document says. */
export interface ProviderOfPage {
  issuer: string;
  client_id: string;
  scope: string;
  authorization_endpoint: string;
  token_endpoint: string;
}

/** What the API was configured with for its page. */
export interface PageSettings {
  /** Reads the provider that people sign in with. @throws UnavailableError. Null: they sign in with tokens. */
  provider: (() => Promise<ProviderOfPage>) | null;
  /** The template of links to logs; null: none. */
  logUrl: string | null;
}

/** Where a template of links to logs has a value of a pod. */
const PLACES = ['cluster', 'namespace', 'job', 'pod', 'from', 'to', 'from_ms', 'to_ms'];

/** Why a text is no template of links to logs; null: it is one. */
export function problemOfLogUrl(text: string): string | null {
  const places = [...text.matchAll(/\{(\w*)\}/g)].map(([, place = '']) => place);
  const unknown = places.find((place) => !PLACES.includes(place));
  if (unknown !== undefined)
    return `{${unknown}} is not known; known: ${PLACES.map((place) => `{${place}}`).join(', ')}`;
  const filled = text.replaceAll(/\{\w*\}/g, 'x');
  // A value in the name of the host would send the reader anywhere.
  const host = /^https?:\/\/([^/?#]*)/.exec(text)?.[1];
  if (host === undefined || !URL.canParse(filled)) return 'an http:// or https:// URL';
  return host.includes('{') ? 'values may stand in the path and the query, not in the host' : null;
}
