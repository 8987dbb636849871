import type { KeyPair } from './certificates.ts';

/** One context of a kubeconfig, with its cluster and its user. */
export interface KubeconfigEntry {
  readonly context: string;
  readonly server: string;
  readonly authority: string;
  readonly user: string;
  readonly credentials: KeyPair;
}

/** The text of a kubeconfig, as JSON, which is YAML too; the first entry is the current context. */
export function kubeconfigText(entries: readonly KubeconfigEntry[]): string {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': entries[0]?.context ?? '',
    clusters: entries.map(({ context, server, authority }) => ({
      name: context,
      cluster: { server, 'certificate-authority-data': base64(authority) },
    })),
    users: entries.map((entry) => ({
      name: userName(entry),
      user: {
        'client-certificate-data': base64(entry.credentials.certificate),
        'client-key-data': base64(entry.credentials.key),
      },
    })),
    contexts: entries.map((entry) => ({
      name: entry.context,
      context: { cluster: entry.context, user: userName(entry) },
    })),
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

/** A user name that is unique within the file, even if several clusters have the same user. */
function userName(entry: KubeconfigEntry): string {
  return `${entry.user}@${entry.context}`;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
