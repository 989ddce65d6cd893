import type { FileHandle } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { compress } from '@unikv/compression'
import type { Bytes } from '@unikv/core'
import { type AnyStack, StoreError } from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'
import { checkedPath, checkStream, waysOf } from './check.ts'
import { bytesOfFile, NewFile } from './files.ts'
import type { Header } from './format/layout.ts'
import { SnapshotReader } from './format/read.ts'
import { sealed, unsealed } from './format/sealed.ts'
import { SnapshotWriter } from './format/write.ts'
import { type SnapshotOptions, type SnapshotReport, settingsOf } from './options.ts'
import { checkedTotal } from './places/count.ts'
import { formOf } from './places/layers.ts'
import { refuseOwnFile } from './places/own-files.ts'
import type { Stored } from './places/pages.ts'
import { type Place, placeOf } from './places/place.ts'
import { writeTo } from './streams.ts'
import { ahead } from './transfer/ahead.ts'
import { noticed } from './transfer/notice.ts'
import type { Source } from './transfer/source.ts'
import { storeSource } from './transfer/store-source.ts'
import { refuseAborted, type Ways } from './ways.ts'

/**
 * Write all records of a store into a file, as they are stored: below all layers, with versions and expiries. It is not a picture of
 * one moment: records that others write meanwhile may or may not be in it.
 *
 * ```ts
 * await snapshot(users, 'users.snapshot', { keys })
 * ```
 *
 * A file has its name when it is whole, on disk, and was read again; until then it is called `….partial`. A stream is left open.
 *
 * @param to the path of a file, or a stream
 * @throws {StoreError} `INVALID_ARGUMENT` for a file that is there, belongs to the store or cannot be written; `UNSUPPORTED` for a store that cannot list
 * its keys; `NOT_PREPARED` for one without records; `STORE_FULL` for a full disk; `UNAVAILABLE` for a stream whose reader has gone; `ABORTED`; errors of the store. No file is left then
 */
export async function snapshot(
  from: AnyStack,
  to: string | Writable,
  options: SnapshotOptions = {},
): Promise<SnapshotReport> {
  const settings = settingsOf('snapshot', options)
  const ways = waysOf(settings)
  const place = placeOf('snapshot', from)
  const source = storeSource(place, ways)
  const { keys, compression = keys === undefined ? 'gzip' : 'none' } = settings
  // One whose package is missing is told before anything is read.
  if (compression !== 'none') await compress(Buffer.alloc(0), { algorithm: compression })
  if (typeof to !== 'string') checkStream('snapshot', to, 'write')
  else await refuseOwnFile(place.store, checkedPath(to))
  const file = typeof to === 'string' ? await NewFile.at(checkedPath(to), settings.overwrite) : undefined
  const total = await checkedTotal(place, ways, settings)
  const writer = new SnapshotWriter(headerOf(place, source, formOf(from)), compression)
  const plain = writer.write(paced(source, ways), () =>
    ways.told({ phase: 'copy', records: writer.records, bytes: writer.bytes, total }),
  )
  const bytes = keys === undefined ? plain : sealed(plain, keys)
  const fileBytes = await noticed([place.store], () =>
    file === undefined
      ? writeTo(to as Writable, bytes, ways.signal)
      : file.write(bytes, (written) => readAgain(written, writer, settings, ways)),
  )
  return { records: writer.records, bytes: writer.bytes, fileBytes, checksum: writer.checksum }
}

async function* paced(
  source: Source,
  { pace, signal }: Ways,
): AsyncGenerator<{ readonly items: readonly Stored[] }> {
  for await (const page of ahead(source.pages(undefined))) {
    await pace?.take(page.items.length, signal)
    refuseAborted(signal)
    yield page
  }
}

function headerOf(
  { store, namespace }: Place,
  { expires, precisionMs }: Source,
  layers: readonly string[],
): Header {
  const { documents, scan } = store.capabilities
  return {
    createdAt: wallClock(),
    store: store.name,
    values: documents ? 'documents' : 'bytes',
    namespace,
    expires,
    precisionMs,
    isOnce: scan !== false && scan.delivery === 'once',
    ...(layers.length === 0 ? {} : { layers }),
  }
}

/** The file must hold what was written: a disk may have lost some of it. */
async function readAgain(
  file: FileHandle,
  { checksum, records: total }: SnapshotWriter,
  { keys }: SnapshotOptions,
  { signal, told }: Ways,
): Promise<void> {
  const pieces: AsyncIterable<Bytes> = bytesOfFile(file)
  const reader = new SnapshotReader(keys === undefined ? pieces : unsealed(pieces, keys), 2 ** 32)
  let [records, bytes] = [0, 0]
  for await (const block of reader.blocks()) {
    records += block.records.length
    bytes += block.bytes
    told({ phase: 'check', records, bytes, total })
    refuseAborted(signal)
  }
  if (reader.end?.checksum !== checksum)
    throw new StoreError(
      'CORRUPT',
      'The file does not hold what was written to it. Another program may write it, too.',
    )
}
