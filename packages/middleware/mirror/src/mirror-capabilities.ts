import type { Bytes, Capabilities, Store, TtlCapability } from '@unikv/core'
import { invalidConfig, showsNamesOf } from '@unikv/core/adapter'
import type { MirrorSettings } from './mirror-options.ts'

/** The capabilities of a mirror of these two: the primary's for what it decides, otherwise the narrower of both. */
export type MirrorCapabilities<P extends Capabilities, S extends Capabilities> = {
  readonly [K in keyof Capabilities]: K extends keyof Narrowed<P, S> ? Narrowed<P, S>[K] : P[K]
}

interface Narrowed<P extends Capabilities, S extends Capabilities> {
  readonly ttl: TtlOf<P, S>
  readonly touch: [TtlOf<P, S>] extends [false] ? false : P['touch']
  readonly sealed: P['sealed'] extends true ? S['sealed'] : P['sealed']
  readonly documents: false
  readonly deltas: false
  readonly sync: P['sync'] extends 'none' ? 'none' : 'none' | 'reads'
}

/** Both, or not at all. */
type TtlOf<P extends Capabilities, S extends Capabilities> = [P['ttl']] extends [false]
  ? false
  : [S['ttl']] extends [false]
    ? false
    : [P['ttl'] | S['ttl']] extends [TtlCapability]
      ? TtlCapability
      : TtlCapability | false

/** The capabilities of a mirror, from both. */
export function mirrorCapabilities(primary: Capabilities, secondary: Capabilities): Capabilities {
  const ttl = narrowerTtl(primary.ttl, secondary.ttl)
  return Object.freeze<Capabilities>({
    ...primary,
    ttl,
    touch: primary.touch && ttl !== false,
    // Calls are merged next to each of the two.
    batch: { ...primary.batch, coalesce: false },
    maxKeyBytes: Math.min(primary.maxKeyBytes, secondary.maxKeyBytes),
    maxValueBytes: Math.min(primary.maxValueBytes, secondary.maxValueBytes),
    sealed: primary.sealed && secondary.sealed,
    sync: primary.sync === 'none' ? 'none' : 'reads',
  })
}

function narrowerTtl(a: Capabilities['ttl'], b: Capabilities['ttl']): Capabilities['ttl'] {
  if (a === false || b === false) return false
  return { kind: a.kind, precisionMs: Math.max(a.precisionMs, b.precisionMs) }
}

/**
 * Refuse a pair that cannot be mirrored.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkPair(
  primary: Store<Bytes>,
  secondary: Store<Bytes>,
  { journal, plaintext }: Pick<MirrorSettings, 'journal' | 'plaintext'>,
): void {
  checkBytes(primary, secondary)
  if (plaintext === 'allowed') return
  const remedy = "encrypt it too, put the encryption above the mirror, or say plaintext: 'allowed'"
  if (primary.capabilities.sealed && !secondary.capabilities.sealed)
    throw invalidConfig(
      `The mirror would keep plain text of a sealed primary in ${secondary.name}: ${remedy}.`,
    )
  for (const { name, capabilities } of [secondary, journal ?? primary])
    if (showsNamesOf(primary.capabilities, capabilities))
      throw invalidConfig(`The mirror would keep key names that the primary hashes in ${name}: ${remedy}.`)
}

/** Refuse one store twice, and stores that hold no bytes. */
export function checkBytes(primary: Store<Bytes>, secondary: Store<Bytes>): void {
  if (primary === secondary) throw invalidConfig('The primary and the secondary must be two stores.')
  for (const { name, capabilities } of [primary, secondary])
    if (capabilities.documents)
      throw invalidConfig(`${name} holds documents; a mirror needs stores of bytes.`)
}
