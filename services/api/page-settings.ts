/** The sign-in of the page with the identity provider, according to its discovery document. */
export interface ProviderOfPage {
  issuer: string;
  client_id: string;
  scope: string;
  authorization_endpoint: string;
  token_endpoint: string;
}

/** The API's configuration for its page. */
export interface PageSettings {
  /** Reads the provider with which users sign in. The member is null when users sign in with tokens. @throws UnavailableError. */
  provider: (() => Promise<ProviderOfPage>) | null;
  /** The template of links to logs; null without a template. */
  logUrl: string | null;
}

/** The names of the values that a template of links to logs may contain. */
const PLACES = ['cluster', 'namespace', 'job', 'pod', 'from', 'to', 'from_ms', 'to_ms'];

/** The reason why a text is not a template of links to logs; null for a valid template. */
export function problemOfLogUrl(text: string): string | null {
  const places = [...text.matchAll(/\{(\w*)\}/g)].map(([, place = '']) => place);
  const unknown = places.find((place) => !PLACES.includes(place));
  if (unknown !== undefined)
    return `{${unknown}} is not a known value; known values: ${PLACES.map((place) => `{${place}}`).join(', ')}`;
  const filled = text.replaceAll(/\{\w*\}/g, 'x');
  // A value in the name of the host could send the user to any host.
  const host = /^https?:\/\/([^/?#]*)/.exec(text)?.[1];
  if (host === undefined || !URL.canParse(filled)) return 'give an http:// or https:// URL';
  return host.includes('{')
    ? 'only the path and the query of the URL may contain values, not the host'
    : null;
}
