import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** An OpenID Connect provider with one public client, which signs everybody in as the same person without asking. */
export interface IdentityProvider {
  issuer: string;
  /** The requests for a code, as their queries. */
  asked: URLSearchParams[];
  close(): void;
}

const CLIENT = { id: 'jobledger-page', audience: 'jobledger-page' };
const LIFETIME = '10m';

export async function startIdentityProvider(person: {
  sub: string;
  groups: string[];
}): Promise<IdentityProvider> {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', use: 'sig', alg: 'RS256' };
  const asked: URLSearchParams[] = [];
  /** The challenge and the address of return of each code that was not used. */
  const codes = new Map<string, { challenge: string; redirect: string }>();
  const json = (response: ServerResponse, status: number, body: object): void =>
    void response
      .writeHead(status, { 'content-type': 'application/json', 'access-control-allow-origin': '*' })
      .end(JSON.stringify(body));
  const authorize = (query: URLSearchParams, response: ServerResponse): void => {
    asked.push(query);
    const redirect = query.get('redirect_uri') ?? '';
    const back = new URL(redirect);
    const isWhole =
      query.get('response_type') === 'code' &&
      query.get('client_id') === CLIENT.id &&
      query.get('code_challenge_method') === 'S256' &&
      query.get('scope')?.split(' ').includes('openid') === true;
    const code = randomUUID();
    if (isWhole) codes.set(code, { challenge: query.get('code_challenge') ?? '', redirect });
    back.searchParams.set(isWhole ? 'code' : 'error', isWhole ? code : 'invalid_request');
    back.searchParams.set('state', query.get('state') ?? '');
    response.writeHead(302, { location: back.href }).end();
  };
  const token = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = new URLSearchParams(await text(request));
    const known = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (known?.challenge !== challenge || known.redirect !== form.get('redirect_uri'))
      return json(response, 400, { error: 'invalid_grant' });
    const signed = await new SignJWT({ groups: person.groups })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setSubject(person.sub)
      .setIssuer(issuer)
      .setAudience(CLIENT.audience)
      .setIssuedAt()
      .setExpirationTime(LIFETIME)
      .sign(privateKey);
    return json(response, 200, { id_token: signed, access_token: randomUUID(), token_type: 'Bearer' });
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer);
    if (pathname === '/.well-known/openid-configuration')
      return json(response, 200, {
        issuer,
        jwks_uri: `${issuer}/jwks`,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
      });
    if (pathname === '/jwks') return json(response, 200, { keys: [jwk] });
    if (pathname === '/authorize') return authorize(searchParams, response);
    if (pathname === '/token') return void token(request, response);
    return json(response, 404, {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    asked,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
