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
  /** Reads the provider with which users sign in. Null when users sign in with tokens. @throws UnavailableError. */
  provider: (() => Promise<ProviderOfPage>) | null;
  /** The template of links to logs; null without a template. */
  logUrl: string | null;
}

/** The place of a pod's value in a template of links to logs. */
const PLACES = ['cluster', 'namespace', 'job', 'pod', 'from', 'to', 'from_ms', 'to_ms'];

/** The reason why a text is no template of links to logs; null for a valid template. */
export function problemOfLogUrl(text: string): string | null {
  const places = [...text.matchAll(/\{(\w*)\}/g)].map(([, place = '']) => place);
  const unknown = places.find((place) => !PLACES.includes(place));
  if (unknown !== undefined)
    return `{${unknown}} is not known; known: ${PLACES.map((place) => `{${place}}`).join(', ')}`;
  const filled = text.replaceAll(/\{\w*\}/g, 'x');
  // A value in the name of the host would send the reader anywhere.
  const host = /^https?:\/\/([^/?#]*)/.exec(text)?.[1];
  if (host === undefined || !URL.canParse(filled)) return 'an http:// or https:// URL';
  return host.includes('{') ? 'only the path and the query may contain values, not the host' : null;
}
