import type { ReactElement } from 'react';
import { shortInstant } from '../words/instants.ts';
import { LayeredPicture } from './layered-picture.tsx';
import type { WhyGraph } from './why-graph.ts';

/** The causes as a picture, from left to right in time. A click on a node explains the node. */
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
      label="Causes from left to right in time"
      nodes={nodes.map((node) => ({ ...node, when: shortInstant(node.at, now) }))}
      edges={edges}
      chosen={chosen}
      onChosen={onChosen}
      // The answer is at the right side.
      begins="right"
      after={steps === 0 || root === undefined ? null : { id: root.id, message: `${steps} steps` }}
    />
  );
}
