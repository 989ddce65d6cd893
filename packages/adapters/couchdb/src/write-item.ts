import {
  type ConditionFailed,
  type Mutation,
  type SetMutation,
  StoreError,
  toStoreError,
  type Version,
  type WriteResult,
} from '@unikv/core'
import { wallClock } from '@unikv/core/platform'
import type { Backend } from './backend.ts'
import { documentJson, isLiveAt, type Known, tombstoneJson } from './document.ts'
import { documentId } from './document-id.ts'

/** The known state of the document of an item: nothing, that there is none, its revision alone, or all but its value. */
export type State = undefined | 'absent' | Known | { readonly rev: string; readonly version?: undefined }

/** One mutation on its way. */
export class Item<V> {
  readonly id: string
  readonly mutation: Mutation<V>
  result: WriteResult | undefined
  state: State
  /** Whether `state` was asked for by this call; otherwise it is good enough to try with, but not to refuse with. */
  isFresh = false
  /** Whether the server refused an attempt, as the document had another revision. */
  hasLostRace = false
  /** The expiry in the text that was sent last: it may pass while that is on its way, and is what the document has then. */
  sentExpiry: number | undefined
  readonly #documents: boolean
  /** The value as JSON text. */
  readonly #value: string | undefined

  constructor(backend: Backend<V>, mutation: Mutation<V>) {
    this.id = documentId(mutation.key)
    this.mutation = mutation
    // A mutation that makes a key tries without a revision first.
    if (mutation.ifVersion !== null) this.state = backend.revisions.get(this.id)
    this.#documents = backend.form.documents
    try {
      if (mutation.type === 'set') this.#value = valueText(backend, mutation)
    } catch (error) {
      this.result = toStoreError(error, { code: 'INVALID_VALUE' })
    }
  }

  /** Whether the revision of the document is all that is needed. */
  get needsRevisionOnly(): boolean {
    return this.mutation.ifVersion === undefined && !keepsExpiry(this.mutation)
  }

  /** Whether the document must be looked at before anything is sent. */
  get mustLook(): boolean {
    const { state, isFresh, hasLostRace, mutation } = this
    if (isFresh) return false
    if (typeof mutation.ifVersion === 'string')
      return typeof state !== 'object' || state.version !== mutation.ifVersion
    return state === undefined && (hasLostRace || mutation.type === 'delete' || keepsExpiry(mutation))
  }

  /** The result, if nothing needs to be sent for it. */
  decide(): WriteResult | undefined {
    const { state, mutation } = this
    const { type, version, ifVersion } = mutation
    const live = this.#live()
    if (typeof ifVersion === 'string' && live?.version !== ifVersion) return refused(live)
    if (ifVersion === null && (live !== undefined || isForeign(state))) return refused(live)
    if (type === 'delete' && (state === 'absent' || ifVersion === null)) return { version }
    return undefined
  }

  /** The document to write, bound to the revision that is known. */
  text(): string {
    const { id, state, mutation } = this
    const rev = typeof state === 'object' ? state.rev : undefined
    if (mutation.type !== 'set') return tombstoneJson(id, rev as string)
    const { key, version } = mutation
    this.sentExpiry = this.#expiresAt()
    const fields = { id, key, rev, version, expiresAt: this.sentExpiry, value: this.#value as string }
    return documentJson(fields, this.#documents)
  }

  /** The expiry that a set leaves behind. */
  #expiresAt(): number | undefined {
    const { expiresAt, ifVersion } = this.mutation as SetMutation<V>
    if (expiresAt === 'keep') {
      // A condition held when it was decided; the expiry that it keeps may have passed since, and must not become endless.
      const kept = typeof ifVersion === 'string' ? (this.state as Known) : this.#live()
      return kept?.expiresAt
    }
    return expiresAt === undefined ? undefined : Math.floor(expiresAt)
  }

  #live(): Known | undefined {
    const { state } = this
    return isKnown(state) && isLiveAt(state, wallClock()) ? state : undefined
  }
}

/** @throws {StoreError} `INVALID_VALUE`, `VALUE_TOO_LARGE` */
function valueText<V>({ form, maxValueBytes }: Backend<V>, { value }: SetMutation<V>): string {
  const text = form.toJson(value)
  if (!form.documents) return text // of bytes KeyValue has seen the length
  const length = Buffer.byteLength(text)
  if (length <= maxValueBytes) return text
  throw new StoreError(
    'VALUE_TOO_LARGE',
    `The document has ${length} bytes as JSON; the store allows ${maxValueBytes}.`,
  )
}

function keepsExpiry(mutation: Mutation<unknown>): boolean {
  return mutation.type === 'set' && mutation.expiresAt === 'keep'
}

function isKnown(state: State): state is Known {
  return typeof state === 'object' && state.version !== undefined
}

function isForeign(state: State): boolean {
  return typeof state === 'object' && state.version === undefined
}

function refused(live: { readonly version: Version } | undefined): ConditionFailed {
  return live === undefined ? { conditionFailed: true } : { conditionFailed: true, version: live.version }
}
