import { createSign, generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An OAuth 2.0 server with one client, whose tokens are for the audience `kafka`. */
export interface TokenEndpoint {
  tokenUrl: string;
  jwksUrl: string;
  close(): void;
}

const LIFETIME_S = 600;

export async function startTokenEndpoint(client: { id: string; secret: string }): Promise<TokenEndpoint> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const token = (): string => {
    const now = Math.floor(Date.now() / 1000);
    const claims = { sub: client.id, aud: 'kafka', scope: 'ledger', iat: now, exp: now + LIFETIME_S };
    const signed = `${encoded({ alg: 'RS256', typ: 'JWT', kid: 'one' })}.${encoded(claims)}`;
    return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')}`;
  };
  const basic = `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`;
  const server = createServer(({ url, headers }, response) => {
    const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }];
    const isClient = headers.authorization === basic;
    const [status, body] =
      url === '/jwks'
        ? [200, { keys }]
        : isClient
          ? [200, { access_token: token(), token_type: 'Bearer', expires_in: LIFETIME_S }]
          : [401, { error: 'invalid_client' }];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { tokenUrl: `${base}/token`, jwksUrl: `${base}/jwks`, close: () => void server.close() };
}
