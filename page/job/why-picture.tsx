import { useEffect, useRef, type ReactElement } from 'react';
import { shortInstant } from '../words/instants.ts';
import type { WhyGraph, WhyNode } from './why-graph.ts';

/** Pixels. */
const [WIDTH, HEIGHT, ACROSS, DOWN, TOP] = [188, 50, 236, 74, 26];

/** The causes as a picture, left to right in time. A click on a node explains it. */
export function WhyPicture(props: {
  graph: WhyGraph;
  chosen: string | null;
  onChosen: (id: string) => void;
}): ReactElement {
  const { graph, chosen, onChosen } = props;
  const { nodes, edges, columns, rows } = graph;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const [width, height] = [columns * ACROSS - (ACROSS - WIDTH) + 8, rows * DOWN + TOP];
  const now = Date.now();
  const scrolled = useRef<HTMLDivElement>(null);
  // The answer is at the right.
  useEffect(() => {
    if (scrolled.current !== null) scrolled.current.scrollLeft = width;
  }, [width]);
  return (
    <div
      ref={scrolled}
      className="scrolled why-picture"
      tabIndex={0}
      role="region"
      aria-label="Causes, left to right in time"
    >
      <svg width={width} height={height} role="group" aria-label={`${nodes.length} causes`}>
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path className="arrow" d="M0 0 L8 4 L0 8 z" />
          </marker>
        </defs>
        {edges.map(([from, to]) => {
          const [a, b] = [byId.get(from), byId.get(to)];
          return (
            a !== undefined &&
            b !== undefined && (
              <path
                key={`${from} ${to}`}
                className={`edge ${a.isMain && b.isMain ? 'main' : ''}`}
                d={curve(a, b)}
                markerEnd="url(#arrow)"
              />
            )
          );
        })}
        <Steps graph={graph} />
        {nodes.map((node) => (
          <Node key={node.id} node={node} isChosen={node.id === chosen} now={now} onChosen={onChosen} />
        ))}
      </svg>
    </div>
  );
}

/** Says how many steps of the shortest chain are left out. */
function Steps({ graph: { nodes, steps } }: { graph: WhyGraph }): ReactElement | null {
  const root = nodes.filter(({ isMain }) => isMain).toSorted((a, b) => a.column - b.column)[0];
  if (steps === 0 || root === undefined) return null;
  return (
    <text className="when" x={left(root) + WIDTH + 4} y={top(root) + HEIGHT / 2 - 8}>
      {steps} steps
    </text>
  );
}

function left({ column }: WhyNode): number {
  return 4 + column * ACROSS;
}

function top({ row }: WhyNode): number {
  return TOP + row * DOWN;
}

function curve(a: WhyNode, b: WhyNode): string {
  const [x1, y1] = [left(a) + WIDTH, top(a) + HEIGHT / 2];
  const [x2, y2] = [left(b), top(b) + HEIGHT / 2];
  const bend = Math.min(60, Math.abs(x2 - x1) / 2);
  return `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

/** The most characters that fit. */
const [TITLE, MORE] = [24, 28];

function Node(props: {
  node: WhyNode;
  isChosen: boolean;
  now: number;
  onChosen: (id: string) => void;
}): ReactElement {
  const { node, isChosen, now, onChosen } = props;
  const [x, y] = [left(node), top(node)];
  const choose = (): void => onChosen(node.id);
  return (
    <g className={`node tone-${node.tone} ${node.isMain ? 'main' : ''}`}>
      <text className="when" x={x} y={y - 6}>
        {shortInstant(node.at, now)}
      </text>
      <rect
        className="box"
        x={x}
        y={y}
        width={WIDTH}
        height={HEIGHT}
        rx="7"
        role="button"
        tabIndex={0}
        aria-pressed={isChosen}
        aria-label={`${node.title}, ${node.more}`.slice(0, 300)}
        onClick={choose}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== ' ') return;
          event.preventDefault();
          choose();
        }}
      >
        <title>{`${node.title}, ${node.more}`.slice(0, 300)}</title>
      </rect>
      <rect className="edge-bar" x={x} y={y + 4} width="4" height={HEIGHT - 8} rx="2" />
      <text className="title" x={x + 14} y={y + 21}>
        {cut(node.title, TITLE)}
      </text>
      <text className="more-words" x={x + 14} y={y + 38}>
        {cut(node.more, MORE)}
      </text>
    </g>
  );
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
