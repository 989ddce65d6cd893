import { types } from 'node:util'

/** A way into a value: names of properties, and numbers of elements. */
export type Path = readonly PropertyKey[]

/** Whether a property name is known to come from code, so that a message may show it. */
export type IsKnown = (name: string) => boolean

/**
 * Where something is in a value, for a message: ` at items[0].price`. The name of a property may be data, such as an
 * email address. So a name that is not known gives way to its position: ` at <property 2>.price`.
 */
export function at(path: Path, root: unknown, isKnown: IsKnown = () => false): string {
  if (path.length === 0) return ''
  let within: unknown = root
  let place = ''
  for (const step of path.slice(0, mostSteps)) {
    place += stepOf(step, within, isKnown)
    within = stepInto(within, step)
  }
  const rest = path.length > mostSteps ? '…' : ''
  return ` at ${place.replace(/^\./, '')}${rest}`
}

/** Added to a message whose place hides names. */
export function wherever(place: string): string {
  return place.includes('<') ? ' error.path has the names.' : ''
}

/** A message tells so many steps of a path; the error has all. */
const mostSteps = 20

/** The part of a value that a path leads to; `undefined` if there is none. */
export function partOf(root: unknown, path: Path): unknown {
  return path.reduce(stepInto, root)
}

function stepInto(within: unknown, step: PropertyKey): unknown {
  if (typeof within !== 'object' || within === null || !Object.hasOwn(within, step)) return undefined
  return (within as Readonly<Record<PropertyKey, unknown>>)[step]
}

function stepOf(step: PropertyKey, within: unknown, isKnown: IsKnown): string {
  if (typeof step === 'number' && (Array.isArray(within) || types.isSet(within) || types.isMap(within)))
    return `[${step}]`
  const name = String(step)
  if (typeof step === 'string' && isKnown(name))
    return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
  const names = typeof within === 'object' && within !== null ? Object.keys(within) : []
  const index = names.indexOf(name)
  return index === -1 ? '.<entry>' : `.<property ${index + 1}>`
}

/** The shortest way to a part of a value; only for an error, as it walks the value again. */
export function pathTo(root: unknown, part: unknown): Path {
  // Each with the last step only: whole paths of a deep value would fill the memory.
  const ways = new Map<unknown, Way | undefined>([[root, undefined]])
  // `ways` grows while it is walked.
  for (const [value, way] of ways) {
    if (Object.is(value, part)) return stepsOf(way)
    for (const [step, inside] of partsOf(value))
      if (!ways.has(inside)) ways.set(inside, { step, before: way })
  }
  return []
}

interface Way {
  readonly step: PropertyKey
  readonly before: Way | undefined
}

function stepsOf(way: Way | undefined): Path {
  const steps: PropertyKey[] = []
  for (let one = way; one !== undefined; one = one.before) steps.push(one.step)
  return steps.reverse()
}

function partsOf(value: unknown): readonly (readonly [PropertyKey, unknown])[] {
  if (typeof value !== 'object' || value === null || types.isUint8Array(value)) return []
  if (types.isMap(value))
    return Array.from(value).flatMap(
      ([key, item], i) =>
        [
          [i, key],
          [i, item],
        ] as const,
    )
  if (types.isSet(value)) return Array.from(value, (item, i) => [i, item] as const)
  return Object.entries(value).map(
    ([name, item]) => [Array.isArray(value) ? Number(name) : name, item] as const,
  )
}
