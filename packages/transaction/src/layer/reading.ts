import {
  type Awaitable,
  andThen,
  type Bytes,
  type CallOptions,
  type Entry,
  isEntry,
  isNotModified,
  isStoreError,
  type Page,
  type Read,
  type ReadResult,
  type ScanEntry,
  type ScanRange,
  type Store,
  StoreError,
} from '@unikv/core'
import { isFrame, isPrepared, type Part, readFrame, unescaped } from './frame.ts'
import { isMark } from './marks.ts'
import { live, type Settling, strongly } from './settling.ts'
import { type Attempt, type Step, steps } from './step.ts'

type Results = readonly ReadResult<Bytes>[]

/** How many prepared records a walk waits for at once. */
const mostAtOnce = 1000

/** Reads of records as they are committed. */
export class Reading {
  readonly #inner: Store<Bytes>
  readonly #settling: Settling

  constructor(inner: Store<Bytes>, settling: Settling) {
    this.#inner = inner
    this.#settling = settling
  }

  read(reads: readonly Read[], call: CallOptions): Awaitable<Results> {
    const step = steps.of(call.facts)
    if (step?.kind === 'read') return this.#readFor(step, reads, call)
    const found = this.#inner.read(reads, step === undefined ? call : strongly(this.#inner, call))
    return andThen(found, (results) => {
      if (!results.some(isOdd)) return results
      if (step === undefined || step.kind === 'peek') {
        const waits = step === undefined
        return Promise.all(results.map((result, i) => this.#plain(reads[i] as Read, result, call, waits)))
      }
      return results.map((result, i) => validated(reads[i] as Read, result))
    })
  }

  async *scan(range: ScanRange, call: CallOptions): AsyncGenerator<Page<Bytes>> {
    const step = steps.of(call.facts)
    if (step?.kind === 'read') {
      yield* this.#walk(range, call)
      return
    }
    // Keys alone would show records that are prepared and not there.
    for await (const page of this.#inner.scan({ ...range, values: true }, call)) {
      const entries: ScanEntry<Bytes>[] = []
      for (const { key, entry } of page.entries) {
        const shown = isEntry(entry) ? await this.#listed(step, key, entry, call) : entry
        if (shown !== undefined) entries.push({ key, entry: shown })
      }
      yield { ...page, entries: range.values ? entries : entries.map(({ key }) => ({ key })) }
    }
  }

  async #listed(
    step: Step | undefined,
    key: string,
    entry: Entry<Bytes>,
    call: CallOptions,
  ): Promise<Entry<Bytes> | StoreError | undefined> {
    if (step === undefined) return this.#shown(key, entry, call)
    if (step.kind === 'validate') return validatedIn(step.attempt, key, entry)
    const settled = isPrepared(entry.value) ? await this.#settling.free(key, call) : entry
    if (step.kind === 'list') step.attempt.seenBy(this.#inner).set(key, settled)
    return settled && plain(settled)
  }

  /** All records, and each that is prepared once it is settled. The leases of them run beside each other. */
  async *#walk(range: ScanRange, call: CallOptions): AsyncGenerator<Page<Bytes>> {
    const free: Promise<unknown>[] = []
    for await (const page of this.#inner.scan({ ...range, values: true }, call)) {
      for (const { key, entry } of page.entries) if (isOdd(entry)) free.push(this.#settling.free(key, call))
      for (const one of free) one.catch(() => {})
      if (free.length >= mostAtOnce) await Promise.all(free.splice(0))
      yield page
    }
    await Promise.all(free)
  }

  /** Reads whose records are remembered: the attempt prepares them as they were. */
  async #readFor({ attempt }: Step, reads: readonly Read[], call: CallOptions): Promise<Results> {
    const level = strongly(this.#inner, call)
    const results = await this.#inner.read(
      reads.map(({ key }) => ({ key })),
      level,
    )
    const seen = attempt.seenBy(this.#inner)
    return Promise.all(
      results.map(async (result, i) => {
        if (isStoreError(result)) return result
        const { key } = reads[i] as Read
        let entry = isEntry(result) ? result : undefined
        if (entry !== undefined && isPrepared(entry.value)) entry = await this.#settling.free(key, level)
        seen.set(key, entry)
        return entry && plain(entry)
      }),
    )
  }

  async #plain(
    read: Read,
    result: ReadResult<Bytes>,
    call: CallOptions,
    waits: boolean,
  ): Promise<ReadResult<Bytes>> {
    if (result === undefined || isStoreError(result) || !isOdd(result)) return result
    if (!isEntry(result)) return answerTo(read, await this.#settling.seen(read.key, call, { waits }))
    const shown = await this.#shown(read.key, result, call, waits)
    return shown && answerTo(read, shown as Part)
  }

  async #shown(
    key: string,
    entry: Entry<Bytes>,
    call: CallOptions,
    waits = true,
  ): Promise<Entry<Bytes> | undefined> {
    if (!isFrame(entry.value)) return entry
    if (!isPrepared(entry.value)) return plain(entry)
    const part = await this.#settling.seen(key, call, { known: entry, waits })
    return live(part)
  }
}

/** Whether a result is of a record that is not stored as it is. */
function isOdd(result: ReadResult<Bytes>): boolean {
  if (result === undefined || isStoreError(result)) return false
  return isEntry(result) ? isFrame(result.value) : isMark(result.version)
}

/** The answer to a read of a record that is committed. */
function answerTo({ ifNotVersion, head }: Read, part: Part | undefined): ReadResult<Bytes> {
  const found = live(part)
  if (found === undefined) return undefined
  const { version, expiresAt } = found
  return head === true || version === ifNotVersion ? { notModified: true, version, expiresAt } : found
}

/** A record that another transaction has prepared is a lost conflict for one that holds records itself. */
function validated({ key }: Read, result: ReadResult<Bytes>): ReadResult<Bytes> {
  if (!isOdd(result)) return result
  if (isEntry(result)) {
    if (!isPrepared(result.value)) return plain(result)
    return conflict(key, readFrame(result.value).by)
  }
  return isNotModified(result) ? conflict(key, 'another transaction') : result
}

/** The same in a listing. A record that the attempt itself has prepared is shown as it was before. */
function validatedIn(
  { id }: Attempt,
  key: string,
  entry: Entry<Bytes>,
): Entry<Bytes> | StoreError | undefined {
  if (!isPrepared(entry.value)) return plain(entry)
  const { by, present } = readFrame(entry.value)
  return by === id ? live(present) : conflict(key, by)
}

/** A record that no transaction has prepared. */
function plain(entry: Entry<Bytes>): Entry<Bytes> {
  return isFrame(entry.value) ? { ...entry, value: unescaped(entry.value) } : entry
}

function conflict(key: string, by: string): StoreError {
  return new StoreError('CONDITION_FAILED', `The record is prepared by ${by}.`, { key })
}
