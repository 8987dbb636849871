import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { Server as TlsServer } from 'node:https';
import { createSecureContext } from 'node:tls';
import { readSettingFile } from '../config.ts';
import { InputError, errorMessage } from '../errors.ts';
import type { Log } from '../process/log.ts';
import type { Shutdown } from '../process/shutdown.ts';

/** The interval between two checks of the files, in milliseconds: certificates are renewed days before they expire. */
const POLL_MS = 10_000;

/** PEM texts. */
interface Pair {
  cert: string;
  key: string;
}

/** The certificate that the API presents, and its key. */
export interface Certificate {
  readonly pair: Pair;
  /** Makes the server present every later certificate of the files. */
  keepFresh(server: Server): void;
}

interface CertificateContext {
  log: Log;
  shutdown: Pick<Shutdown, 'onClose'>;
  pollMs?: number;
}

/**
 * Reads the configured certificate and its key; returns null without TLS. The files are read again later; while they
 * are unusable, the server presents the previous certificate. @throws InputError if the files cannot be read or used at
 * the start.
 */
export function openCertificate(
  config: { JOBLEDGER_API_TLS_CERT?: string | undefined; JOBLEDGER_API_TLS_KEY?: string | undefined },
  { log, shutdown, pollMs = POLL_MS }: CertificateContext,
): Certificate | null {
  const { JOBLEDGER_API_TLS_CERT: cert, JOBLEDGER_API_TLS_KEY: key } = config;
  if (cert === undefined || key === undefined) return null;
  let pair: Pair = {
    cert: readSettingFile('JOBLEDGER_API_TLS_CERT', cert).toString(),
    key: readSettingFile('JOBLEDGER_API_TLS_KEY', key).toString(),
  };
  try {
    createSecureContext(pair);
  } catch (cause) {
    throw new InputError(
      `JOBLEDGER_API_TLS_CERT and JOBLEDGER_API_TLS_KEY: ${cert} and ${key} are not a certificate and its key, in PEM`,
      { cause },
    );
  }
  return {
    pair,
    keepFresh(server) {
      const checkFiles = (): void => {
        try {
          const found = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
          if (found.cert === pair.cert && found.key === pair.key) return;
          if (server instanceof TlsServer) server.setSecureContext(found);
          pair = found;
          log.info({ certificate: cert }, 'the certificate was renewed');
        } catch (error) {
          // The two files are not written at the same time, so a mismatch may be temporary.
          log.warn(
            { certificate: cert, error: errorMessage(error) },
            'the new certificate cannot be used yet',
          );
        }
      };
      const timer = setInterval(checkFiles, pollMs).unref();
      shutdown.onClose('certificate', () => clearInterval(timer));
    },
  };
}
