import { readFileSync } from 'node:fs';
import https from 'node:https';
import { UnavailableError } from '../../../services/adapters/errors.ts';
import { LOOPBACK } from '../ports.ts';
import type { KeyPairFiles } from './credentials.ts';

/**
 * Resolves when a health endpoint on loopback answers 200.
 * @throws UnavailableError otherwise.
 */
export function answersHealthy(at: {
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
      (answer) => {
        answer.resume();
        if (answer.statusCode === 200) resolve();
        else reject(new UnavailableError(`${url} answered ${answer.statusCode}`));
      },
    );
    request.setTimeout(3000, () => request.destroy(new Error('no answer in time')));
    request.on('error', reject);
  });
}
