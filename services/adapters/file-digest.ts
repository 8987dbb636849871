import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** The digest of a file in hexadecimal digits, as `sha256sum` prints it. @throws the error of a file that cannot be read. */
export async function fileDigest(path: string, algorithm = 'sha256'): Promise<string> {
  const hash = createHash(algorithm);
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
