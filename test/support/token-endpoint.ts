import { createSign, generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An OAuth 2.0 and OpenID Connect server with one client, whose tokens are for the audience `kafka`. */
export interface TokenEndpoint {
  issuer: string;
  tokenUrl: string;
  jwksUrl: string;
  /** A token with these claims beside `iss`, `iat` and an `exp` in ten minutes; `header` replaces fields of its header. */
  signed(claims: object, header?: object): string;
  /** The number of requests for the keys. */
  keysAsked(): number;
  close(): void;
}

const LIFETIME_S = 600;

export async function startTokenEndpoint(client: { id: string; secret: string }): Promise<TokenEndpoint> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  let keysAsked = 0;
  const signed = (claims: object, header: object = {}): string => {
    const now = Math.floor(Date.now() / 1000);
    const text = [
      encoded({ alg: 'RS256', typ: 'JWT', kid: 'one', ...header }),
      encoded({ iss: issuer, iat: now, exp: now + LIFETIME_S, ...claims }),
    ].join('.');
    return `${text}.${createSign('RSA-SHA256').update(text).sign(privateKey, 'base64url')}`;
  };
  const token = (): string => signed({ sub: client.id, aud: 'kafka', scope: 'ledger' });
  const basic = `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`;
  const server = createServer(({ url, headers }, response) => {
    const [status, body] = answerTo(url ?? '', headers.authorization);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const answerTo = (url: string, authorization: string | undefined): [number, object] => {
    if (url === '/.well-known/openid-configuration') return [200, { issuer, jwks_uri: jwksUrl }];
    if (url === '/jwks') {
      keysAsked += 1;
      return [
        200,
        { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }] },
      ];
    }
    return authorization === basic
      ? [200, { access_token: token(), token_type: 'Bearer', expires_in: LIFETIME_S }]
      : [401, { error: 'invalid_client' }];
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const jwksUrl = `${issuer}/jwks`;
  return {
    issuer,
    tokenUrl: `${issuer}/token`,
    jwksUrl,
    signed,
    keysAsked: () => keysAsked,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
