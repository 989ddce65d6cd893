import type { FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { type Bytes, StoreError, toStoreError } from '@unikv/core'
import type { AnyStack } from '@unikv/core/adapter'
import { checkedPath, checkStream, waysOf } from './check.ts'
import { bytesOfFile, openedFile, readAt } from './files.ts'
import { damaged, type Header, printable } from './format/layout.ts'
import { type Ended, SnapshotReader } from './format/read.ts'
import { isSealed, unsealed } from './format/sealed.ts'
import { type FillReport, type RestoreOptions, settingsOf } from './options.ts'
import { checkForm } from './places/layers.ts'
import { latest } from './places/pages.ts'
import { belongsTo, placeOf, targetOf } from './places/place.ts'
import { spooled } from './streams.ts'
import { fill } from './transfer/fill.ts'
import { identityOf } from './transfer/mark.ts'
import type { Source, SourcePage } from './transfer/source.ts'
import { refuseAborted, type Ways } from './ways.ts'

const mostPageSize = 1_000

type RestoreSettings = ReturnType<typeof settingsOf<'restore'>>

/**
 * Write the records of a snapshot into a store. The whole snapshot is verified first: one that was cut or changed changes nothing.
 *
 * ```ts
 * const { records, expired } = await restore('users.snapshot', users, { keys })
 * ```
 *
 * Records that have run out of time meanwhile are left out, and counted. A restore that was killed goes on with `resume: true`.
 *
 * @param from the path of a file, or a stream, which is kept in a temporary file until it was verified
 * @throws {StoreError} `CORRUPT` or `AUTHENTICATION_FAILED` for a snapshot that was cut or changed, `UNKNOWN_KEY_ID`;
 * `NOT_PREPARED` for one without records; `INVALID_ARGUMENT` for a file that cannot be read or lacks keys, and for a target that has records or other layers; and as `copy`
 */
export async function restore(
  from: string | Readable,
  to: AnyStack,
  options: RestoreOptions = {},
): Promise<FillReport> {
  const settings = settingsOf('restore', options)
  const ways = waysOf(settings)
  const target = placeOf('restore', to)
  if (typeof from !== 'string') checkStream('restore', from, 'read')
  const { signal } = ways
  const file =
    typeof from === 'string' ? await openedFile(checkedPath(from), signal) : await spooled(from, signal)
  try {
    const given = new SnapshotFile(file, settings, ways)
    const whole = await given.verified()
    if (whole.records === 0 && !settings.allowEmpty)
      throw new StoreError('NOT_PREPARED', 'There are no records in the snapshot. Nothing was written.')
    checkForm((whole.header.layers ?? []).map(printable), to)
    const place = targetOf(target, whole.header.namespace)
    return await fill({
      source: given.source(whole),
      target: place,
      options: settings,
      ways,
      total: whole.records,
    })
  } finally {
    await file.close()
  }
}

/** Where a snapshot is read on: in which block, and at which of its records. */
interface FilePosition {
  readonly block: number
  readonly item: number
}

class SnapshotFile {
  readonly #file: FileHandle
  readonly #settings: RestoreSettings
  readonly #ways: Ways
  #isSealed = false

  constructor(file: FileHandle, settings: RestoreSettings, ways: Ways) {
    this.#file = file
    this.#settings = settings
    this.#ways = ways
  }

  /** Read everything once, before anything is written. */
  async verified(): Promise<Ended> {
    await this.#look()
    const reader = this.#reader()
    let [records, bytes] = [0, 0]
    let holds: ((key: string) => boolean) | undefined
    try {
      for await (const block of reader.blocks()) {
        refuseAborted(this.#ways.signal)
        holds ??= belongsTo((reader.header as Header).namespace)
        if (!block.records.every(({ key }) => holds?.(key))) throw damaged('a record does not belong to it')
        records += block.records.length
        bytes += block.bytes
        this.#ways.told({ phase: 'check', records, bytes, total: undefined })
      }
    } catch (error) {
      throw notRestored(error)
    }
    return reader.end as Ended
  }

  source(whole: Ended): Source {
    const { store, values, expires, precisionMs, isOnce } = whole.header
    return {
      name: `the snapshot of ${printable(store)}`,
      identity: identityOf(['snapshot', whole.checksum]),
      documents: values === 'documents',
      expires,
      precisionMs,
      pages: (after) => this.#pages(after as FilePosition | undefined, whole),
      store: undefined,
      records: isOnce ? whole.records : undefined,
      repeats: !isOnce,
    }
  }

  async *#pages(after: FilePosition | undefined, whole: Ended): AsyncGenerator<SourcePage> {
    const { pageSize = mostPageSize } = this.#ways
    const reader = this.#reader()
    let first = after?.item ?? 0
    for await (const { number, records } of reader.blocks(after?.block)) {
      for (let item = first; item < records.length; item += pageSize) {
        const isLast = item + pageSize >= records.length
        const next = isLast ? { block: number + 1, item: 0 } : { block: number, item: item + pageSize }
        yield { items: latest(records.slice(item, item + pageSize)), after: next }
      }
      first = 0
    }
    if (reader.end?.checksum !== whole.checksum)
      throw new StoreError('CORRUPT', 'The snapshot was changed while it was restored.')
  }

  /** Whether it is encrypted must agree with whether there are keys: a plain file is not taken for an encrypted one. */
  async #look(): Promise<void> {
    const start = Buffer.alloc(4)
    await readAt(this.#file, start, 0)
    this.#isSealed = isSealed(start)
    if (this.#isSealed === (this.#settings.keys !== undefined)) return
    throw this.#isSealed
      ? new StoreError('INVALID_ARGUMENT', 'The snapshot is encrypted. Give the key that it was made with.')
      : notRestored(new StoreError('CORRUPT', 'It is not encrypted, although a key was given.'))
  }

  #reader(): SnapshotReader {
    const { keys, maxBlockBytes } = this.#settings
    const bytes: AsyncIterable<Bytes> = bytesOfFile(this.#file)
    return new SnapshotReader(
      this.#isSealed && keys !== undefined ? unsealed(bytes, keys) : bytes,
      maxBlockBytes,
    )
  }
}

function notRestored(error: unknown): StoreError {
  const { code, message } = toStoreError(error, { code: 'CORRUPT' })
  if (code === 'ABORTED') return new StoreError(code, 'Stopped. Nothing was written.', { cause: error })
  return new StoreError(code, `The snapshot cannot be restored. ${message} Nothing was written.`, {
    cause: error,
  })
}
