import {
  type Bytes,
  type CallOptions,
  type Entry,
  isEntry,
  isNotModified,
  isStoreError,
  type NotModified,
  type Read,
  type ReadMeta,
  type ReadResult,
  type Store,
  StoreError,
  toStoreError,
} from '@unikv/core'
import { derive } from '@unikv/core/adapter'
import type { Known } from './chain/chain.ts'
import { corrupt } from './chain/corrupt.ts'
import { type ChainHead, type Head, isHead, readHead } from './chain/head.ts'
import { type Needs, needsOf, replay } from './chain/replay.ts'
import type { Memory } from './memory.ts'
import type { DeltaSettings } from './options.ts'
import { Pauses } from './pauses.ts'
import type { Counts } from './stats.ts'
import { strongest } from './step.ts'

/** A value that was asked for. */
export interface Asked {
  readonly key: string
  readonly ifNotVersion?: string | undefined
  /** Leave memory as it is: one of many that are not likely to be asked for again. */
  readonly passing?: boolean | undefined
}

/** A value that was found. */
export interface Found {
  readonly known: Known
  /** Memory holds these bytes too, so they must not be given away. */
  readonly kept: boolean
  readonly meta: ReadMeta | undefined
}

/** The outcome of a read of one value. */
export type Outcome = Found | NotModified | StoreError | undefined

/** How often a value may be replaced while its parts are fetched. */
const maxRounds = 16

/** A read that is not over. */
interface Open {
  readonly asked: Asked
  readonly index: number
  /** A value of this key that was in memory when the read began. */
  readonly known: Known | undefined
  /** The head that lacked a part. */
  readonly suspect: string | undefined
}

/** A head whose parts must be fetched. */
interface Opened {
  readonly open: Open
  readonly entry: Entry<Bytes>
  readonly head: ChainHead
  readonly needs: Needs
}

/** Values from heads and parts: two requests for a batch, however many keys it has, and one if nothing is missing. */
export class Reading {
  readonly #inner: Store<Bytes>
  readonly #settings: DeltaSettings
  readonly #memory: Memory
  readonly #counts: Counts

  constructor(inner: Store<Bytes>, settings: DeltaSettings, memory: Memory, counts: Counts) {
    this.#inner = inner
    this.#settings = settings
    this.#memory = memory
    this.#counts = counts
  }

  /** The values of these keys. */
  async values(asked: readonly Asked[], call: CallOptions): Promise<Outcome[]> {
    const open = this.#openAll(asked)
    return this.#resolve(open, await this.#heads(open, call), call)
  }

  /** The values of heads that were read already, key by key. */
  resolve(
    asked: readonly Asked[],
    heads: readonly ReadResult<Bytes>[],
    call: CallOptions,
  ): Promise<Outcome[]> {
    return this.#resolve(this.#openAll(asked), heads, call)
  }

  #openAll(asked: readonly Asked[]): Open[] {
    return asked.map((one, index) => ({
      asked: one,
      index,
      known: this.#memory.get(one.key),
      suspect: undefined,
    }))
  }

  /** Values in memory need not be sent again. */
  async #heads(open: readonly Open[], call: CallOptions): Promise<readonly ReadResult<Bytes>[]> {
    const { conditionalRead } = this.#inner.capabilities
    const reads = open.map(({ asked: { key, ifNotVersion }, known }): Read => {
      const condition = ifNotVersion ?? (conditionalRead ? known?.version : undefined)
      return condition === undefined ? { key } : { key, ifNotVersion: condition }
    })
    return this.#inner.read(reads, call)
  }

  async #resolve(
    first: readonly Open[],
    firstHeads: readonly ReadResult<Bytes>[],
    call: CallOptions,
  ): Promise<Outcome[]> {
    const outcomes: Outcome[] = first.map(() => undefined)
    let open = first
    let heads = firstHeads
    for (let round = 1; ; round++) {
      const opened = open.flatMap((one, i): Opened[] => {
        const next = this.#open(one, heads[i])
        if (next !== undefined && 'head' in next) return [next]
        outcomes[one.index] = next
        return []
      })
      open = await this.#fetch(opened, outcomes, call)
      if (open.length === 0) return outcomes
      if (round === maxRounds) {
        for (const { index } of open) outcomes[index] = overtaken()
        return outcomes
      }
      try {
        heads = await this.#heads(open, strongest(this.#inner, call))
      } catch (error) {
        heads = open.map(() => failure(error))
      }
    }
  }

  /** The value of a head, or the parts that it needs. */
  #open(open: Open, result: ReadResult<Bytes>): Opened | Outcome {
    if (result === undefined || isStoreError(result)) return result
    if (isNotModified(result)) return this.#unchanged(open, result)
    if (result.version !== undefined && result.version === open.suspect) return this.#lost()
    try {
      const head = this.#headOf(open.asked.key, result.value)
      const bytes = longestOf(head)
      if (bytes > this.#settings.maxOutputBytes) return tooLarge(bytes, this.#settings)
      if (head.kind === 'whole') return this.#found(open.asked, result, { ...head, chain: undefined })
      return { open, entry: result, head, needs: needsOf(open.asked.key, head, open.known) }
    } catch (error) {
      return failure(error)
    }
  }

  #headOf(key: string, record: Bytes): Head {
    if (this.#settings.acceptPlain && !isHead(record)) return { kind: 'whole', value: record, isPlain: true }
    return readHead(key, record)
  }

  #unchanged({ asked, known }: Open, result: NotModified): Outcome {
    if (asked.ifNotVersion !== undefined || known === undefined) return result
    this.#counts.unchanged++
    return { known, kept: true, meta: result.meta }
  }

  /** The same head as before, although a part was gone: parts that the present head names are never removed. */
  #lost(): StoreError {
    if (this.#inner.capabilities.isolation !== 'eventual') return corrupt('lacks a part')
    return new StoreError(
      'UNAVAILABLE',
      'A part of the value is not there. The store is only eventually consistent: it may come. Try again.',
    )
  }

  /** Fetch the parts of all at once. Returns whose parts are gone. */
  async #fetch(opened: readonly Opened[], outcomes: Outcome[], call: CallOptions): Promise<Open[]> {
    const keys = opened.flatMap(({ needs }) => needs.keys)
    let parts = new Map<string, ReadResult<Bytes>>()
    try {
      if (keys.length > 0) {
        const results = await this.#inner.read(
          keys.map((key) => ({ key })),
          derive(call, { sent: 'own' }),
        )
        parts = new Map(keys.map((key, i) => [key, results[i]]))
      }
    } catch (error) {
      parts = new Map(keys.map((key) => [key, failure(error)]))
    }
    const anew: Open[] = []
    const pauses = new Pauses(call)
    for (const one of opened) {
      const outcome = await this.#assemble(one, parts, pauses)
      if ('asked' in outcome) anew.push(outcome)
      else outcomes[one.open.index] = outcome
    }
    return anew
  }

  /** The value, an error, or the read that has to begin anew. */
  async #assemble(
    opened: Opened,
    parts: ReadonlyMap<string, ReadResult<Bytes>>,
    pauses: Pauses,
  ): Promise<Found | StoreError | Open> {
    const { open, entry, head, needs } = opened
    const { maxOutputBytes } = this.#settings
    const fetched = needs.keys.map((key) => parts.get(key))
    const failed = fetched.find(isStoreError)
    if (failed !== undefined) return failed
    if (!fetched.every(isEntry)) {
      this.#counts.overtaken++
      return { ...open, known: undefined, suspect: entry.version }
    }
    const records = new Map(needs.keys.map((key, i) => [key, (fetched[i] as Entry<Bytes>).value]))
    try {
      const made = await replay(open.asked.key, head, needs, records, { maxOutputBytes, pauses })
      this.#counts.chainsRead++
      if (needs.keys.length === 0) this.#counts.chainsKnown++
      return this.#found(open.asked, entry, made)
    } catch (error) {
      // Not by what was in memory: then what is stored is right, or it is not.
      return needs.known === undefined ? failure(error) : { ...open, known: undefined }
    }
  }

  #found(
    { key, passing }: Asked,
    entry: Entry<Bytes>,
    made: Pick<Known, 'value' | 'chain' | 'isPlain'>,
  ): Found {
    const { version, expiresAt, meta } = entry
    const { value, chain, isPlain } = made
    const known: Known = { value, chain, isPlain, version: version as string, expiresAt }
    const worthwhile = version !== undefined && passing !== true && value.length >= this.#settings.minBytes
    return { known, meta, kept: worthwhile && this.#memory.put(key, known) }
  }
}

function overtaken(): StoreError {
  const message = `The value was replaced ${maxRounds} times while it was being read. Try again, or spread the writes over more keys.`
  return new StoreError('UNAVAILABLE', message)
}

/** The longest value that a head tells of, in bytes: what its deltas make in between is seen when they are applied. */
function longestOf(head: Head): number {
  return head.kind === 'whole' ? head.value.length : Math.max(head.base.bytes, head.valueBytes)
}

function tooLarge(bytes: number, { maxOutputBytes }: DeltaSettings): StoreError {
  const message = `The value has ${bytes} bytes; maxOutputBytes allows ${maxOutputBytes}.`
  return new StoreError('VALUE_TOO_LARGE', message)
}

/** A thrown error, as the result of one item. */
function failure(error: unknown): StoreError {
  return toStoreError(error, {})
}
