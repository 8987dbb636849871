import type { KeyPair } from './certificates.ts';

/** One context of a kubeconfig, with its cluster and its user. */
export interface KubeconfigEntry {
  readonly context: string;
  readonly server: string;
  readonly authority: string;
  readonly user: string;
  readonly credentials: KeyPair;
}

/** The text of a kubeconfig; the first entry is the current context. */
export function kubeconfigText(entries: readonly KubeconfigEntry[]): string {
  return [
    'apiVersion: v1',
    'kind: Config',
    `current-context: ${JSON.stringify(entries[0]?.context ?? '')}`,
    'clusters:',
    ...entries.flatMap(clusterLines),
    'users:',
    ...entries.flatMap(userLines),
    'contexts:',
    ...entries.flatMap(contextLines),
    '',
  ].join('\n');
}

function clusterLines(entry: KubeconfigEntry): string[] {
  return [
    `- name: ${JSON.stringify(entry.context)}`,
    '  cluster:',
    `    server: ${entry.server}`,
    `    certificate-authority-data: ${base64(entry.authority)}`,
  ];
}

function userLines(entry: KubeconfigEntry): string[] {
  return [
    `- name: ${JSON.stringify(userOf(entry))}`,
    '  user:',
    `    client-certificate-data: ${base64(entry.credentials.certificate)}`,
    `    client-key-data: ${base64(entry.credentials.key)}`,
  ];
}

function contextLines(entry: KubeconfigEntry): string[] {
  const context = { cluster: entry.context, user: userOf(entry) };
  return [`- name: ${JSON.stringify(entry.context)}`, `  context: ${JSON.stringify(context)}`];
}

/** A user name that is unique within the file, also when several clusters have the same user. */
function userOf(entry: KubeconfigEntry): string {
  return `${entry.user}@${entry.context}`;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
