import type { IsKnown } from './place.ts'

const maxObjects = 5000

/**
 * Whether a schema itself holds a name: as a property, or as a text, whichever way its library keeps them. Such a
 * name comes from code, so a message may show it. A name that only values have may be data.
 */
export function knownBy(schema: object): IsKnown {
  const names = new Set<unknown>()
  const objects = new Set<object>([schema])
  // `objects` grows while it is walked.
  for (const object of objects) {
    for (const name of Object.getOwnPropertyNames(object)) {
      names.add(name)
      const part = partOf(object, name)
      if (typeof part === 'number' || typeof part === 'bigint') names.add(String(part))
      else if (typeof part !== 'object') names.add(part)
      else if (part !== null && objects.size < maxObjects) objects.add(part)
    }
  }
  return (name) => names.has(name)
}

function partOf(object: object, name: string): unknown {
  try {
    return (object as Readonly<Record<string, unknown>>)[name]
  } catch {
    return undefined // a getter that cannot answer yet
  }
}
