import { readFileSync } from 'node:fs';
import https from 'node:https';
import { UnavailableError } from '../../../services/adapters/errors.ts';
import { LOOPBACK } from '../state/ports.ts';
import type { KeyPairFiles } from './credentials.ts';

/**
 * Resolves when a health endpoint on loopback responds with status 200.
 * @throws UnavailableError on another status; rejects with the connection's error when there is no response in 3 s.
 */
export function requireHealthy(at: {
  port: number;
  path: string;
  authorityFile: string;
  client?: KeyPairFiles;
}): Promise<void> {
  const url = `https://${LOOPBACK}:${at.port}${at.path}`;
  const client =
    at.client === undefined
      ? {}
      : { key: readFileSync(at.client.key), cert: readFileSync(at.client.certificate) };
  return new Promise((resolve, reject) => {
    const request = https.get(
      url,
      { ca: readFileSync(at.authorityFile), ...client, agent: false },
      (response) => {
        response.resume();
        if (response.statusCode === 200) resolve();
        else reject(new UnavailableError(`${url} responded with status ${response.statusCode}`));
      },
    );
    request.setTimeout(3000, () => request.destroy(new Error('no response in time')));
    request.on('error', reject);
  });
}
