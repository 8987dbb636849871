import type { ReactElement } from 'react';
import { shortInstant } from '../words/instants.ts';
import { LayeredPicture } from './layered-picture.tsx';
import type { WhyGraph } from './why-graph.ts';

/** The causes as a picture, left to right in time. A click on a node explains it. */
export function WhyPicture(props: {
  graph: WhyGraph;
  chosen: string | null;
  onChosen: (id: string) => void;
}): ReactElement {
  const { graph, chosen, onChosen } = props;
  const { nodes, edges, steps } = graph;
  const now = Date.now();
  const root = nodes.filter(({ isMain }) => isMain).toSorted((a, b) => a.column - b.column)[0];
  return (
    <LayeredPicture
      label="Causes, left to right in time"
      nodes={nodes.map((node) => ({ ...node, when: shortInstant(node.at, now) }))}
      edges={edges}
      chosen={chosen}
      onChosen={onChosen}
      // The answer is there.
      begins="right"
      after={steps === 0 || root === undefined ? null : { id: root.id, message: `${steps} steps` }}
    />
  );
}
