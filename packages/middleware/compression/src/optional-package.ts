import { createRequire } from 'node:module'
import { StoreError } from '@unikv/core'

/** What `node:module` makes: not `import`, as a layer without threads answers at once and cannot wait for it. */
export const requireHere: NodeJS.Require = createRequire(import.meta.url)

/** An optional package: how a missing one is installed. */
export interface OptionalPackage {
  /** What needs it, such as `lz4`. */
  readonly purpose: string
  readonly name: string
  /** The version that this release was tested with. */
  readonly version: string
}

/** Remembers what `load` gave, and tells how to install the package if it cannot be loaded. */
export function loadOnce<T>({ purpose, name, version }: OptionalPackage, load: () => T): () => T {
  let loaded: T | undefined
  return () => {
    try {
      loaded ??= load()
      return loaded
    } catch (cause) {
      const message = `${purpose} needs the package ${name}, which is not installed, or has no binary for this platform: npm install ${name}@${version}`
      throw new StoreError('UNSUPPORTED', message, { cause })
    }
  }
}
