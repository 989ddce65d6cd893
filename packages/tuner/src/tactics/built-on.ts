import { isPlainObject } from '@unikv/core/platform'
import type { AnyManager, StoreConfiguration } from '@unikv/manager'

/** A store, and all that name it in their configuration: a reload of it is one of them, too. */
export function builtOn(name: string, stores: AnyManager['configuration']['stores']): readonly string[] {
  const found = new Set([name])
  // A set tells of those that are added meanwhile.
  for (const one of found)
    for (const [other, configuration] of Object.entries(stores))
      if (names(configuration, one)) found.add(other)
  return [...found]
}

function names({ from, mirror, fallback, layers = [] }: StoreConfiguration, store: string): boolean {
  const isNamed = (value: unknown): boolean =>
    value === store || (isPlainObject(value) && Object.values(value).some(isNamed))
  return [from, mirror, fallback, ...layers].some(isNamed)
}
