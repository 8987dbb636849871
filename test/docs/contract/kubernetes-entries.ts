import ts from 'typescript';
import type { Entry } from './entry.ts';
import { nodesIn } from './source-files.ts';

const NAME = /^jobledger\.dev\/[\w-]+$/;

/** The labels, annotations, finalizers, conditions and managers of ours in the objects of a cluster. */
export function kubernetesEntries(sources: readonly ts.SourceFile[]): Entry[] {
  const names = sources.flatMap((source) => nodesIn(source, ts.isStringLiteral)).map(({ text }) => text);
  return [...new Set(names.filter((name) => NAME.test(name)))].map((name) => ({
    place: 'Kubernetes',
    line: name,
    names: [name],
  }));
}
