import { randomUUID } from 'node:crypto'
import { isConditionFailed, isEntry, isStoreError, type ReadResult, StoreError } from '@unikv/core'
import type { NewChange } from '@unikv/core/adapter'
import { monotonicClock } from '@unikv/core/platform'
import { Refused, type Served } from '@unikv/http/parts'

/** How long a change can be undone. */
const undoMs = 600_000

/** Former values that are kept for that, in bytes over all. */
const mostKept = 67_108_864

/** A change takes so many bytes besides its former value: many of empty ones must not fill the memory. */
const ofChange = 4_096

/** A change that can be undone: the value before it, and the version that it left; `null`: it left no record. */
interface Undo {
  readonly served: Served
  readonly key: string
  readonly before: unknown
  readonly expiresAt: number | undefined
  readonly left: string | null
  readonly bytes: number
  readonly until: number
}

/** A change of a record: a new value, another end of its life in milliseconds since 1970, or the end of it. */
export type Change = { readonly body: Uint8Array } | { readonly expiresAt: number } | 'delete'

/** Changes of records by the page. Each needs the version that its caller saw, and can be undone for ten minutes. */
export class Changes {
  readonly #undos = new Map<string, Undo>()
  #kept = 0

  /** Make a change. Returns what undoes it. */
  async change(served: Served, key: string, change: Change, ifVersion: string | null): Promise<Changed> {
    const { records } = served
    const [before] = await records.read([{ key }])
    if (isStoreError(before)) throw before
    const version = await written(served, {
      ...(await changeOf(served, change, before, ifVersion)),
      key,
      ifVersion,
    })
    // A cache may have answered with another value than the one that went.
    if (before === undefined || !isEntry(before) || before.version !== ifVersion)
      return { version, undo: undefined }
    const former = await served.bodyOf(before.value)
    const { expiresAt } = before
    const left = change === 'delete' ? null : version
    const until = monotonicClock() + undoMs
    const undo = this.#keep({
      served,
      key,
      before: before.value,
      expiresAt,
      left,
      bytes: former.length + ofChange,
      until,
    })
    return { version, undo }
  }

  /** Bring the former value back, if nothing else has changed the record. @throws {Refused} for one that is not known any more */
  async undo(
    of: Served,
    id: string,
    demandKey: (key: string) => void,
  ): Promise<{ readonly version: string }> {
    this.#forget()
    const undo = this.#undos.get(id)
    // The rights of the caller are those for its own store.
    if (undo === undefined || undo.served !== of)
      throw new Refused(404, 'NOT_FOUND', 'This change cannot be undone any more.')
    const { served, key, before: value, expiresAt, left: ifVersion } = undo
    demandKey(key)
    const version = await written(served, { type: 'set', key, value, expiresAt, ifVersion })
    this.#drop(id, undo)
    return { version }
  }

  #keep(undo: Undo): string {
    this.#forget()
    const id = randomUUID()
    this.#undos.set(id, undo)
    this.#kept += undo.bytes
    for (const [oldest, one] of this.#undos) {
      if (this.#kept <= mostKept || oldest === id) break
      this.#drop(oldest, one)
    }
    return id
  }

  #forget(): void {
    for (const [id, undo] of this.#undos) if (undo.until < monotonicClock()) this.#drop(id, undo)
  }

  #drop(id: string, { bytes }: Undo): void {
    if (this.#undos.delete(id)) this.#kept -= bytes
  }
}

/** A change that was made. */
export interface Changed {
  readonly version: string
  /** Name of the change, by which it is undone; `undefined`: there was no record before. */
  readonly undo: string | undefined
}

async function changeOf(
  served: Served,
  change: Change,
  before: ReadResult<unknown>,
  ifVersion: string | null,
): Promise<Omit<NewChange, 'key'>> {
  if (change === 'delete') return { type: 'delete' }
  if ('body' in change)
    return { type: 'set', value: await served.valueOf(change.body), ...keep(served, ifVersion) }
  if (before === undefined || !('value' in before)) throw changedMeanwhile(undefined)
  return { type: 'set', value: before.value, expiresAt: change.expiresAt }
}

/** A change by hand leaves the life of a record as it is. */
function keep({ records }: Served, ifVersion: string | null): { readonly ttlMs?: 'keep' } {
  const hasLife = records.store.capabilities.ttl !== false && ifVersion !== null
  return hasLife ? { ttlMs: 'keep' } : {}
}

async function written({ records }: Served, change: NewChange): Promise<string> {
  const [result] = await records.write([change])
  if (isStoreError(result)) throw result
  if (result === undefined || isConditionFailed(result)) throw changedMeanwhile(result?.version)
  return result.version ?? ''
}

function changedMeanwhile(version: string | undefined): StoreError {
  return new StoreError('CONDITION_FAILED', 'The record was changed meanwhile. Look at it again.', {
    version,
  })
}
