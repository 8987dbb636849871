import { ANY } from '../../../services/adapters/places.ts';

/** The nodes for which a price is: their capacity type and class, or every node. */
export function nodesText({
  node_class: nodeClass,
  capacity_type: capacityType,
}: {
  node_class: string;
  capacity_type: string;
}): string {
  return [capacityType, nodeClass].filter((each) => each !== ANY).join(' ') || 'every';
}
