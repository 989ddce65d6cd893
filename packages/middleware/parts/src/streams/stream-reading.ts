import {
  type AnyStore,
  type Bytes,
  type CallSettings,
  type Entry,
  isEntry,
  isStoreError,
  type NotModified,
  StoreError,
  type Version,
} from '@unikv/core'
import {
  levelPastCaches,
  type RecordCalls,
  type StreamedValue,
  type StreamReadSettings,
} from '@unikv/core/adapter'
import { lostPart, maxRounds, overtaken, partOf } from '../fetching.ts'
import { isRecord, type Manifest, partLength, readHead } from '../format.ts'
import { manifestKey, partKey } from '../keys.ts'
import type { PartsSettings } from '../options.ts'

/** Parts that are asked for before the reader wants them. */
const ahead = 2

/** Where the wanted bytes lie in the parts of a value. */
interface Span {
  readonly manifest: Manifest
  readonly start: number
  readonly end: number
  readonly last: number
}

/** Reads one value as a stream. */
export class StreamReading {
  readonly #calls: RecordCalls
  readonly #inner: AnyStore
  readonly #settings: PartsSettings
  readonly #key: string
  readonly #asked: StreamReadSettings

  constructor(
    calls: RecordCalls,
    inner: AnyStore,
    settings: PartsSettings,
    key: string,
    asked: StreamReadSettings,
  ) {
    this.#calls = calls
    this.#inner = inner
    this.#settings = settings
    this.#key = key
    this.#asked = asked
    for (const [option, value] of Object.entries({ start: asked.start, end: asked.end }))
      if (value !== undefined && !Number.isSafeInteger(value))
        throw new StoreError('INVALID_ARGUMENT', `${option} must be a whole number of bytes.`)
  }

  /** The first part is here when this resolves, so that the version is that of the bytes; the others come as they are read. */
  async open(): Promise<StreamedValue | NotModified | undefined> {
    let suspect: string | undefined
    for (let round = 1; round <= maxRounds; round++) {
      const found = await this.#head(round > 1)
      if (found === undefined || !isEntry(found)) return found
      const head = this.#headOf(found.value)
      if ('value' in head) return this.#whole(found, head.value)
      if (found.version !== undefined && found.version === suspect) {
        const lost = lostPart(this.#inner)
        if (lost === undefined) return undefined
        throw lost
      }
      const span = this.#span(head)
      const first =
        span.start < span.end ? await this.#part(span, Math.floor(span.start / head.size)) : nothing
      if (first !== undefined)
        return this.#streamed(found, head.length, pulled(this.#pieces(span, first, found.version)))
      suspect = found.version
    }
    throw overtaken()
  }

  async #head(past: boolean): Promise<Entry<Bytes> | NotModified | undefined> {
    const { ifNotVersion } = this.#asked
    const level = past ? levelPastCaches(this.#inner) : undefined
    const settings = level === undefined ? this.#call() : { ...this.#call(), consistency: level }
    const read = { key: manifestKey(this.#key), ifNotVersion }
    const [found] = await this.#calls.read([read], settings)
    if (isStoreError(found)) throw found
    return found as Entry<Bytes> | NotModified | undefined
  }

  #headOf(record: Bytes): ReturnType<typeof readHead> {
    return this.#settings.acceptPlain && !isRecord(record) ? { value: record } : readHead(this.#key, record)
  }

  #call(): CallSettings {
    const { timeoutMs, signal, consistency } = this.#asked
    return { timeoutMs, signal, consistency }
  }

  #whole(entry: Entry<Bytes>, value: Bytes): StreamedValue {
    const [start, end] = this.#range(value.length)
    // A copy, as others may hold the same bytes.
    const wanted = start < end ? [new Uint8Array(value.subarray(start, end))] : []
    return this.#streamed(entry, value.length, pulled(wanted.values()))
  }

  #streamed(
    { version, expiresAt }: Entry<Bytes>,
    length: number,
    body: StreamedValue['body'],
  ): StreamedValue {
    return { version, expiresAt, length, body }
  }

  #range(length: number): readonly [start: number, end: number] {
    const { start = 0, end = length } = this.#asked
    const at = (index: number): number => Math.min(length, index < 0 ? Math.max(0, length + index) : index)
    return [at(start), at(end)]
  }

  #span(manifest: Manifest): Span {
    const [start, end] = this.#range(manifest.length)
    return { manifest, start, end, last: Math.ceil(end / manifest.size) - 1 }
  }

  /** The wanted bytes of a part; `undefined`: it is not there. */
  async #part({ manifest, start, end }: Span, number: number): Promise<Uint8Array | undefined> {
    const key = partKey(this.#key, manifest.id, number)
    const [found] = await this.#calls.read([{ key }], this.#call())
    const part = partOf(this.#key, manifest, number, found)
    if (part === undefined) return undefined
    const offset = number * manifest.size
    const own = part.subarray(
      Math.max(0, start - offset),
      Math.min(partLength(manifest, number), end - offset),
    )
    return new Uint8Array(own)
  }

  async *#pieces(span: Span, first: Uint8Array, version: Version | undefined): AsyncGenerator<Uint8Array> {
    const { manifest, start, last } = span
    let next = Math.floor(start / manifest.size) + 1
    const coming: Promise<Uint8Array | undefined>[] = []
    const ask = (): void => {
      while (coming.length < ahead && next <= last) {
        const part = this.#part(span, next++)
        // Told when its turn has come.
        part.catch(() => {})
        coming.push(part)
      }
    }
    if (first.length > 0) yield first
    for (ask(); coming.length > 0; ask()) {
      const part = await coming.shift()
      if (part === undefined) throw await this.#whyMissing(version)
      yield part
    }
  }

  /** Why a part is not there, of a value whose first part was. */
  async #whyMissing(version: Version | undefined): Promise<StoreError> {
    const now = await this.#head(true)
    const lost = now?.version === version ? lostPart(this.#inner) : undefined
    return lost ?? replaced()
  }
}

const nothing = new Uint8Array()

/** A stream whose source makes no byte before it is wanted. */
function pulled(pieces: Iterator<Uint8Array> | AsyncIterator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = await pieces.next()
        if (piece.done === true) controller.close()
        else controller.enqueue(piece.value)
      },
      async cancel() {
        await pieces.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

function replaced(): StoreError {
  const message =
    'The value was replaced or deleted while it was being read. The bytes so far are not the whole value. Read it again.'
  return new StoreError('UNAVAILABLE', message)
}
