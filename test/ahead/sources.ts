import { InputError, errorMessage } from '../../services/adapters/errors.ts';
import { moduleZip, readFacts, type Facts } from './facts.ts';

/** What is compared of each module. */
const API = ['batch/...', 'core/v1', 'coordination/v1', 'scheduling/...'];
const CODE = [
  'pkg/controller/job/...',
  'pkg/controller/cronjob/...',
  'pkg/controller/ttlafterfinished/...',
  'pkg/controller/controller_utils.go',
  'pkg/controller/controller_ref_manager.go',
  'pkg/registry/batch/...',
  'pkg/apis/batch/v1',
  'pkg/apis/batch/validation',
  'pkg/apis/scheduling',
  'pkg/api/job',
  'pkg/features/kube_features.go',
  'plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go',
];
const ADMISSION = 'plugin/pkg/admission/...';
/** Plugins about Jobs and gangs import the types of these. */
const ABOUT_JOBS = /^k8s\.io\/kubernetes\/pkg\/apis\/(batch|scheduling)$/;

/** The sources of one version of Kubernetes, such as `1.38.0-alpha.2`. */
export interface Sources {
  version: string;
  /** Its API types. */
  api: Facts;
  /** Its controllers and gates; text: why they cannot be downloaded. */
  code: Facts | string;
}

/** @throws InputError if the API types are not published. */
export function readSources(version: string): Sources {
  if (!/^1\.\d+\.\d+(-\w+\.\d+)?$/.test(version))
    throw new InputError(
      `"${version}" is no version of Kubernetes; write for example 1.37.2 or 1.38.0-alpha.2`,
    );
  const api = readApi(moduleZip('k8s.io/api', version.replace(/^1/, 'v0')));
  try {
    return { version, api, code: readCode(moduleZip('k8s.io/kubernetes', `v${version}`)) };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { version, api, code: errorMessage(error) };
  }
}

/** `source`: the zip of k8s.io/api, or a folder like it. */
export function readApi(source: string): Facts {
  return readFacts(source, API);
}

/** `source`: the zip of k8s.io/kubernetes, or a folder like it. */
export function readCode(source: string): Facts {
  const { packages } = readFacts(source, [ADMISSION]);
  const plugins = Object.keys(packages).filter((folder) =>
    packages[folder]?.some((each) => ABOUT_JOBS.test(each)),
  );
  return readFacts(source, [...CODE, ...plugins]);
}

export function merged(one: Facts, other: Facts): Facts {
  return {
    packages: { ...one.packages, ...other.packages },
    types: { ...one.types, ...other.types },
    constants: { ...one.constants, ...other.constants },
    functions: { ...one.functions, ...other.functions },
    gates: { ...one.gates, ...other.gates },
    rights: { ...one.rights, ...other.rights },
  };
}
