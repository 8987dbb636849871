/** The parts of a recorded Job that the page shows; redacted values are texts. */
export interface RecordedManifest {
  metadata?: { annotations?: Record<string, string> };
  spec?: {
    template?: {
      spec?: {
        containers?: {
          name?: string;
          image?: string;
          resources?: { requests?: Record<string, unknown>; limits?: Record<string, unknown> };
        }[];
      };
    };
  };
}

/** A container of the pod template, for a reader. */
interface ShownContainer {
  name: string;
  image: string;
  /** The image without its registry and folders. */
  short: string;
  /** Such as `memory 256Mi to 512Mi, cpu from 500m`. */
  resources: string;
}

export function shownContainers(manifest: RecordedManifest | null | undefined): ShownContainer[] {
  const containers = manifest?.spec?.template?.spec?.containers ?? [];
  return containers.map(({ name = '', image = 'unknown', resources = {} }) => ({
    name,
    image,
    short: image.split('/').at(-1) ?? image,
    resources: resourceText(resources.requests ?? {}, resources.limits ?? {}),
  }));
}

function resourceText(requests: Record<string, unknown>, limits: Record<string, unknown>): string {
  const names = [...new Set([...Object.keys(limits), ...Object.keys(requests)])].toSorted();
  return names
    .map((name) => {
      const [least, most] = [requests[name], limits[name]].map((value) =>
        value === undefined || typeof value === 'string' ? value : JSON.stringify(value),
      );
      if (most === undefined) return `${name} from ${least}`;
      return least === undefined || least === most ? `${name} up to ${most}` : `${name} ${least} to ${most}`;
    })
    .join(', ');
}
