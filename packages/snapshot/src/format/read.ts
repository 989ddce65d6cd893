import { decompress } from '@unikv/compression'
import type { Bytes } from '@unikv/core'
import { isStoreError } from '@unikv/core/adapter'
import { bytesOf, type Stored } from '../places/pages.ts'
import { Checksums } from './checksums.ts'
import { ExactReader } from './exact-reader.ts'
import {
  blockStart,
  checksumBytes,
  damaged,
  end,
  type Header,
  headerLength,
  kinds,
  parseHeader,
  start,
} from './layout.ts'
import { decodeRecords } from './records.ts'

/** Longest value that a frame can tell the length of. */
const mostFramedBytes = 2 ** 32 - 1

/** One block of records, verified. */
export interface Block {
  readonly number: number
  readonly records: readonly Stored[]
  /** Bytes of their keys and values. */
  readonly bytes: number
}

/** A whole snapshot was read: its counts agree. */
export interface Ended {
  readonly header: Header
  readonly records: number
  readonly bytes: number
  readonly checksum: string
}

interface RawBlock {
  readonly kind: number
  readonly number: number
  readonly body: Buffer
}

/** Reads the blocks of a snapshot, each verified before it is given. That it is whole is known when `end` is there. */
export class SnapshotReader {
  readonly #reader: ExactReader
  readonly #mostBlockBytes: number
  readonly #checksums = new Checksums()
  header: Header | undefined
  end: Ended | undefined

  constructor(source: AsyncIterable<Bytes>, mostBlockBytes: number) {
    this.#reader = new ExactReader(source)
    this.#mostBlockBytes = Math.min(mostBlockBytes, mostFramedBytes)
  }

  /**
   * All blocks with records, from a number on; those before are verified only.
   *
   * @throws {StoreError} `CORRUPT` for a snapshot that was cut or changed
   */
  async *blocks(from = 0): AsyncGenerator<Block> {
    try {
      this.header = await this.#readHeader()
      let [records, bytes] = [0, 0]
      for (let number = 0; ; number++) {
        const block = await this.#next(number)
        if (block.kind === kinds.end) return await this.#finish(block.body, records, bytes)
        const found = await this.#records(block.body, this.header)
        records += found.length
        const length = found.reduce((sum, { key, entry }) => sum + key.length + bytesOf(entry.value), 0)
        bytes += length
        if (number >= from) yield { number, records: found, bytes: length }
      }
    } finally {
      await this.#reader.close()
    }
  }

  async #readHeader(): Promise<Header> {
    const before = await this.#reader.take(start.bytes)
    const json = await this.#reader.take(headerLength(before))
    await this.#check('its header was changed', before, json)
    return parseHeader(json)
  }

  async #next(number: number): Promise<RawBlock> {
    const before = await this.#reader.take(blockStart.bytes)
    const {
      kind,
      bodyBytes,
      number: told,
    } = blockStart.decode(before) as NonNullable<ReturnType<typeof blockStart.decode>>
    const isKnown = kind === kinds.records || (kind === kinds.end && bodyBytes === end.bytes)
    if (!isKnown || told !== number) throw damaged(`block ${number} is missing, was moved or was changed`)
    if (bodyBytes > this.#mostBlockBytes)
      throw damaged(`block ${number} was changed, or is longer than maxBlockBytes allows`)
    const body = await this.#reader.take(bodyBytes)
    await this.#check(`block ${number} was moved or changed`, before, body)
    return { kind, number, body }
  }

  async #check(why: string, ...parts: readonly Buffer[]): Promise<void> {
    const stored = await this.#reader.take(checksumBytes)
    if (!this.#checksums.add(...parts).equals(stored)) throw damaged(why)
  }

  async #records(body: Buffer, { values }: Header): Promise<Stored[]> {
    try {
      return decodeRecords(await decompress(body, { maxOutputBytes: this.#mostBlockBytes }), values)
    } catch (error) {
      // A missing package is not damage.
      if (isStoreError(error) && error.code === 'INVALID_CONFIG') throw error
      throw damaged('a block cannot be read')
    }
  }

  async #finish(body: Buffer, records: number, bytes: number): Promise<void> {
    await this.#reader.end()
    const told = end.decode(body)
    if (told?.records !== records) throw damaged('records are missing')
    const header = this.header as Header
    // Documents have the length of their text, which may be written in several ways.
    if (header.values === 'bytes' && told.bytes !== bytes) throw damaged('bytes are missing')
    this.end = { header, records, bytes, checksum: this.#checksums.toString() }
  }
}
