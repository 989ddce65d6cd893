import { compress } from '@unikv/compression'
import type { Bytes } from '@unikv/core'
import type { Compression } from '../options.ts'
import { bytesOf, type Stored } from '../places/pages.ts'
import { Checksums } from './checksums.ts'
import { blockStart, encodeHeader, end, type Header, kinds } from './layout.ts'
import { encodeRecord } from './records.ts'

/** Records of a block before compression, in bytes; one record alone may be longer. */
const blockBytes = 262_144
/** Longest value that a frame can tell the length of. */
const mostFramedBytes = 2 ** 32 - 1

/** Fast levels: a snapshot is written more often than it is read. */
const levels = { gzip: 1, brotli: 4, zstd: 3 } as const

/** Makes the bytes of a snapshot. */
export class SnapshotWriter {
  readonly #header: Header
  readonly #compression: Compression
  readonly #checksums = new Checksums()
  #number = 0
  records = 0
  bytes = 0

  constructor(header: Header, compression: Compression) {
    this.#header = header
    this.#compression = compression
  }

  /** SHA-256 over all that was written, in hexadecimal. */
  get checksum(): string {
    return this.#checksums.toString()
  }

  /** The snapshot of these records, block by block. `told` is called after each page. */
  async *write(
    pages: AsyncIterable<{ readonly items: readonly Stored[] }>,
    told: () => void,
  ): AsyncGenerator<Bytes> {
    const start = encodeHeader(this.#header)
    yield start
    yield this.#checksums.add(start)
    let parts: Bytes[] = []
    let length = 0
    for await (const { items } of pages) {
      for (const item of items) {
        const encoded = encodeRecord(item)
        parts.push(...encoded)
        length += encoded.reduce((sum, part) => sum + part.length, 0)
        this.records += 1
        this.bytes += item.key.length + bytesOf(item.entry.value)
        if (length < blockBytes) continue
        yield* this.#block(kinds.records, await this.#frame(parts))
        parts = []
        length = 0
      }
      told()
    }
    if (length > 0) yield* this.#block(kinds.records, await this.#frame(parts))
    yield* this.#block(kinds.end, end.encode({ records: this.records, bytes: this.bytes }))
  }

  *#block(kind: number, body: Bytes): Generator<Bytes> {
    const start = blockStart.encode({ kind, number: this.#number++, bodyBytes: body.length })
    yield start
    yield body
    yield this.#checksums.add(start, body)
  }

  /** The body of a block of records: a compression frame. */
  async #frame(parts: readonly Bytes[]): Promise<Bytes> {
    const bytes = Buffer.concat(parts)
    const common = { maxOutputBytes: mostFramedBytes }
    if (this.#compression === 'none') return compress(bytes, { ...common, minBytes: mostFramedBytes })
    return compress(bytes, { ...common, algorithm: this.#compression, level: levels[this.#compression] })
  }
}
