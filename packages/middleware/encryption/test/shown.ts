import { inspect } from 'node:util'

/** Bytes, or a text, that must not be seen anywhere. */
export type Secret = Buffer | string

/** Every text that shows a secret, or a good part of it. */
function formsOf(secret: Secret): readonly string[] {
  const bytes = Buffer.from(secret as string)
  const part = bytes.subarray(0, 16)
  const listed = Array.from(part).join(', ')
  const spaced = Array.from(part, (byte) => byte.toString(16).padStart(2, '0')).join(' ')
  const encoded = (['hex', 'base64', 'base64url', 'latin1'] as const).map((form) =>
    bytes.toString(form).slice(0, 16),
  )
  return [...encoded, encoded[0]?.toUpperCase() as string, part.toString(), listed, spaced]
}

/** The secrets that can be seen of a thing: printed in any way, or reached over any property, shown or hidden. */
export function seen(thing: unknown, secrets: readonly Secret[]): readonly Secret[] {
  const reached: Reached = { texts: printed(thing), bytes: [], done: new Set() }
  reach(thing, reached)
  const text = reached.texts.join('\n')
  const isSeen = (secret: Secret): boolean =>
    formsOf(secret).some((form) => text.includes(form)) ||
    reached.bytes.some((bytes) => bytes.includes(secret))
  return secrets.filter(isSeen)
}

interface Reached {
  readonly texts: string[]
  readonly bytes: Buffer[]
  readonly done: Set<unknown>
}

function printed(thing: unknown): string[] {
  const all = {
    depth: Number.POSITIVE_INFINITY,
    showHidden: true,
    getters: true,
    maxArrayLength: null,
    maxStringLength: null,
  }
  const json = (): string => String(JSON.stringify(thing))
  return [
    inspect(thing, all),
    inspect(thing),
    inspect(thing, { ...all, customInspect: false }),
    safely(json),
    safely(() => String(thing)),
  ]
}

/** Walk over own properties of every kind, and what maps and sets hold; causes and stacks are among them. */
function reach(thing: unknown, reached: Reached): void {
  if (typeof thing === 'string') reached.texts.push(thing)
  if ((typeof thing !== 'object' && typeof thing !== 'function') || thing === null || reached.done.has(thing))
    return
  reached.done.add(thing)
  if (ArrayBuffer.isView(thing)) {
    reached.bytes.push(Buffer.from(thing.buffer, thing.byteOffset, thing.byteLength))
    return
  }
  if (thing instanceof Map || thing instanceof Set)
    for (const one of thing as Iterable<unknown>) reach(one, reached)
  for (const name of Reflect.ownKeys(thing)) {
    reached.texts.push(String(name))
    reach(
      safely(() => (thing as Record<PropertyKey, unknown>)[name]),
      reached,
    )
  }
}

function safely<T>(work: () => T): T | string {
  try {
    return work()
  } catch {
    return ''
  }
}
