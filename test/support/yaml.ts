import { clientLibrary } from '../../services/adapters/kubernetes/client-library.ts';

export const { loadYaml, loadAllYaml } = clientLibrary();
