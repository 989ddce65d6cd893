import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The packages among these that the project in the working folder does not have. */
export function missingPackages(names: readonly string[]): readonly string[] {
  return names.filter((name) => {
    try {
      return pathOf(name) === undefined
    } catch {
      return true
    }
  })
}

/** A package of the project in the working folder. */
export async function ofProject<T>(name: string): Promise<T> {
  const loaded = (await import(pathToFileURL(pathOf(name)).href)) as T & { readonly default?: T }
  // The names in a CommonJS module are not all known.
  return { ...loaded, ...loaded.default }
}

function pathOf(name: string): string {
  return createRequire(join(process.cwd(), 'package.json')).resolve(name)
}
