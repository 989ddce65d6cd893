import { type Capabilities, type CapabilityKind, capabilityTable, leftOut } from './capabilities.ts'

/** Capabilities that are asked for by name: those that are yes or no, with what yes means in words. */
export const capabilityFlags: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(capabilityTable).flatMap(([name, kind]) => ('flag' in kind ? [[name, kind.flag]] : [])),
)

/** The values of a capability, from the weakest promise to the strongest. */
export function capabilityRanks<K extends keyof Capabilities>(name: K): readonly Capabilities[K][] {
  const kind = capabilityTable[name]
  return ('ranks' in kind ? kind.ranks : []) as readonly Capabilities[K][]
}

/**
 * The capabilities in what a wire or a file tells, and nothing else.
 *
 * @returns `undefined` if one is missing, or has a value that it cannot have
 */
export function capabilitiesIn(told: unknown): Capabilities | undefined {
  const known = Object.entries(Object(told)).filter(
    ([name, value]) => value !== undefined && Object.hasOwn(capabilityTable, name),
  )
  const found = Object.fromEntries(known)
  return isKind({ parts: capabilityTable }, { ...leftOut, ...found })
    ? (found as unknown as Capabilities)
    : undefined
}

function isKind(kind: CapabilityKind, told: unknown): boolean {
  if ('flag' in kind) return typeof told === 'boolean' || (told === undefined && kind.optional === true)
  if ('ranks' in kind) return kind.ranks.some((rank) => rank === told)
  if ('amount' in kind) return Number.isSafeInteger(told) && (told as number) >= 1
  if ('words' in kind)
    return Array.isArray(told) && told.every((one) => typeof one === 'string' && one !== '')
  if (typeof told !== 'object' || told === null) return kind.orNot === true && told === false
  return Object.entries(kind.parts).every(([name, part]) => isKind(part, partOf(told, name)))
}

/** The names of promises that `kept` does not keep, with both values where it promises less. */
export function lackingIn(promised: Capabilities, kept: Capabilities): readonly string[] {
  return [...lacks('', { parts: capabilityTable }, promised, kept)]
}

function* lacks(name: string, kind: CapabilityKind, promised: unknown, kept: unknown): Generator<string> {
  if ('parts' in kind) {
    if (promised === false) return
    if (kept === false) yield name
    else
      for (const [part, its] of Object.entries(kind.parts))
        yield* lacks(name === '' ? part : `${name}.${part}`, its, partOf(promised, part), partOf(kept, part))
  } else if ('words' in kind) {
    for (const word of listOf(promised)) if (!listOf(kept).includes(word)) yield `${name} ${word}`
  } else if (isLess(kind, promised, kept)) {
    const isNamed = typeof promised === 'boolean'
    yield isNamed
      ? promised
        ? name
        : `that it never ${name}`
      : `${name} ${promised as string} (${kept as string})`
  }
}

function partOf(whole: unknown, part: string): unknown {
  return (whole as Readonly<Record<string, unknown>>)[part]
}

function listOf(words: unknown): readonly string[] {
  return (words as readonly string[] | undefined) ?? []
}

function isLess(kind: CapabilityKind, promised: unknown, kept: unknown): boolean {
  if ('flag' in kind) return promised === true && kept !== true
  if ('ranks' in kind) return kind.ranks.indexOf(kept as never) < kind.ranks.indexOf(promised as never)
  const [more, less] = [promised as number, kept as number]
  return 'amount' in kind && (kind.amount === 'most' ? more > less : kind.amount === 'least' && more < less)
}
