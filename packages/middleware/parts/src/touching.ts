import {
  type Bytes,
  type CallOptions,
  isStoreError,
  isWritten,
  type Mutation,
  newVersion,
  type Store,
  StoreError,
  type TouchMutation,
  toStoreError,
  type WriteResult,
} from '@unikv/core'
import { derive, levelPastCaches } from '@unikv/core/adapter'
import { type Manifest, partKeys, partsIn } from './format.ts'
import { partKey } from './keys.ts'
import type { Former } from './looking.ts'

/**
 * A record in parts gets another expiry: its parts must not go before it. Two callers may touch it at the same time, and no store takes
 * the later of two times, so its parts then never expire. They go with their record, or by `sweepParts`.
 */
export class Touching {
  readonly #inner: Store<Bytes>

  constructor(inner: Store<Bytes>) {
    this.#inner = inner
  }

  /** Whether the record may be touched now, must be looked at again, or the outcome. */
  async prepare(
    touch: TouchMutation,
    former: Former | undefined,
    call: CallOptions,
  ): Promise<'ready' | 'again' | WriteResult> {
    if (former === undefined) return notSeen()
    if (former.version === null) return { conditionFailed: true }
    const { manifest } = former
    try {
      if (manifest === undefined || (await this.#liveLong(touch, manifest, call))) return 'ready'
      return (await this.#loosen(touch.key, manifest, derive(call, { sent: 'own' }))) ? 'ready' : 'again'
    } catch (error) {
      return toStoreError(error, {})
    }
  }

  /** Whether the parts live long enough: the last one tells, as it is the last to get another expiry. */
  async #liveLong(
    { key, expiresAt }: TouchMutation,
    manifest: Manifest,
    call: CallOptions,
  ): Promise<boolean> {
    const last = partKey(key, manifest.id, partsIn(manifest) - 1)
    const strongest = derive(call, { consistency: levelPastCaches(this.#inner), sent: 'own' })
    const [found] = await this.#inner.read([{ key: last, head: true }], strongest)
    if (isStoreError(found)) throw found
    if (found === undefined) return false
    return found.expiresAt === undefined || (expiresAt !== undefined && expiresAt <= found.expiresAt)
  }

  /** Let the parts live for ever. False: they are not there any more. */
  async #loosen(owner: string, manifest: Manifest, call: CallOptions): Promise<boolean> {
    const keys = partKeys(owner, manifest)
    const last = keys.splice(-1)
    const { maxItems } = this.#inner.capabilities.batch
    for (let i = 0; i < keys.length; i += maxItems)
      if (!(await this.#loosenSome(keys.slice(i, i + maxItems), call))) return false
    return this.#loosenSome(last, call)
  }

  async #loosenSome(keys: readonly string[], call: CallOptions): Promise<boolean> {
    const mutations = keys.map(
      (key): Mutation<Bytes> => ({ type: 'touch', key, version: newVersion(), expiresAt: undefined }),
    )
    const results = await this.#inner.write(mutations, call)
    const failed = results.find(isStoreError)
    if (failed !== undefined) throw failed
    return results.every(isWritten)
  }
}

function notSeen(): StoreError {
  const message =
    'The record could not be read, so it is not known what to touch. Nothing was changed. Try again.'
  return new StoreError('UNAVAILABLE', message)
}
