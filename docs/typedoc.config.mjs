import { join } from 'node:path'
import { packages, root } from '../scripts/workspaces.mjs'

const published = packages()

/** The documentation gate: every exported name of a published package has a comment, and its links lead somewhere. */
export default {
  entryPoints: published.flatMap(({ folder, manifest }) =>
    Object.values(manifest.exports)
      .map((entry) => entry['@unikv/source'])
      .filter((source) => source !== undefined)
      .map((source) => join(root, folder, source)),
  ),
  packagesRequiringDocumentation: published.map(({ manifest }) => manifest.name),
  requiredToBeDocumented: ['Class', 'Interface', 'Function', 'TypeAlias', 'Variable'],
  validation: { notDocumented: true, notExported: false, invalidLink: true },
  treatWarningsAsErrors: true,
  treatValidationWarningsAsErrors: true,
  excludePrivate: true,
  // Pages have a check of their own (scripts/links.mjs), which also knows links to folders.
  readme: 'none',
  disableSources: true,
  // The compiler of the build has checked the types; this copy is older and only reads them.
  skipErrorChecking: true,
  tsconfig: join(root, 'docs/tsconfig.json'),
  json: join(root, '.cache/api.json'),
}
