import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { InputError, errorMessage } from '../../../../services/adapters/errors.ts';

const IMAGES = z.array(
  z.strictObject({
    image: z.string().min(1),
    entrypoint: z.array(z.string()),
    environment: z.record(z.string(), z.string()).default({}),
    files: z.record(z.string().startsWith('/'), z.string().startsWith('/')).default({}),
  }),
);

/** An image whose files this host has. */
export interface LocalImage {
  /** As in a container's `image`. */
  image: string;
  /** A command line of this host, for containers without a `command`. */
  entrypoint: readonly string[];
  environment: Readonly<Record<string, string>>;
  /** The paths on this host, by paths within the image. */
  files: Readonly<Record<string, string>>;
}

/** Reads a list of images in JSON. @throws InputError when the file cannot be read, or has another shape. */
export function readLocalImages(file: string): LocalImage[] {
  try {
    return IMAGES.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : errorMessage(error);
    throw new InputError(`NODE_AGENT_IMAGES: ${file}: ${why}`, { cause: error });
  }
}
