import fs from 'node:fs'
import { endianness } from 'node:os'
import { StoreError } from '@unikv/core'

/*
 * LMDB maps its file into memory and believes what it reads: a file that is none of its own, or that was cut
 * short, ends the process instead of failing the call. So the file is looked at before LMDB opens it.
 *
 * Layout (lmdb-js 3, little-endian, 64 bits; http://www.lmdb.tech/doc/): pages 0 and 1 are meta pages, the one with
 * the higher transaction id counts. A page has a header of 24 bytes (number, transaction, pad, flags at 18, length
 * of the pointers at 20), then 2-byte pointers to its nodes, counted from the end of the header.
 */

const pageHeaderBytes = 24
const magic = 0xbeefc0de
const version = 2
const branch = 1
const leaf = 2
const meta = 8
const bigData = 1
const subDatabase = 2

/** Offsets in a meta page, after the page header. */
const metaAt = {
  magic: 24,
  version: 28,
  pageBytes: 48,
  freeRoot: 88,
  mainRoot: 136,
  lastPage: 144,
  transaction: 152,
}
const metaBytes = 160
const noPage = 0xffff_ffff_ffff_ffffn

/** The used fields of a meta page. */
interface Meta {
  readonly pageBytes: number
  readonly roots: readonly bigint[]
  readonly lastPage: number
  readonly transaction: bigint
}

/**
 * Look at an existing data file.
 *
 * @throws {StoreError} `CORRUPT` if LMDB could not read it; `INVALID_CONFIG` if another version of LMDB made it
 */
export function checkDataFile(path: string): void {
  if (endianness() !== 'LE' || !process.arch.endsWith('64')) return
  const descriptor = fs.openSync(path, 'r')
  try {
    // LMDB makes an empty file before it fills it.
    if (fs.fstatSync(descriptor).size === 0) return
    const found = readMeta(descriptor)
    // The size after the meta page: a writer lets the file grow first, so what the page names is in it by now.
    const pages = Math.floor(fs.fstatSync(descriptor).size / found.pageBytes)
    // The last pages may never have been written, if they are free: only then is a file rightly shorter.
    if (pages <= found.lastPage) walk(descriptor, found, pages)
  } finally {
    fs.closeSync(descriptor)
  }
}

function walk(descriptor: number, found: Meta, pages: number): void {
  try {
    new Walk(descriptor, found.pageBytes, pages).check(found.roots)
  } catch (error) {
    // Another process is writing, which shows that all is well, and explains what was seen.
    if (readMeta(descriptor).transaction !== found.transaction) return
    throw error
  }
}

function readMeta(descriptor: number): Meta {
  const first = metaOf(readAt(descriptor, 0, metaBytes))
  const second = metaOf(readAt(descriptor, first.pageBytes, metaBytes))
  return second.transaction > first.transaction ? second : first
}

function metaOf(page: Buffer): Meta {
  if (
    page.length < metaBytes ||
    page.readUInt32LE(metaAt.magic) !== magic ||
    (page.readUInt16LE(18) & meta) === 0
  )
    throw corrupt('is not an LMDB file')
  if ((page.readUInt32LE(metaAt.version) & 0xffff) !== version)
    throw new StoreError(
      'INVALID_CONFIG',
      'Another version of LMDB created the data file. Copy its data with that version.',
    )
  const pageBytes = page.readUInt32LE(metaAt.pageBytes)
  const lastPage = Number(page.readBigUInt64LE(metaAt.lastPage))
  if (pageBytes < 256 || pageBytes > 65_536 || (pageBytes & (pageBytes - 1)) !== 0)
    throw corrupt('is damaged')
  return {
    pageBytes,
    lastPage,
    roots: [page.readBigUInt64LE(metaAt.freeRoot), page.readBigUInt64LE(metaAt.mainRoot)],
    transaction: page.readBigUInt64LE(metaAt.transaction),
  }
}

/** A walk through the trees of a file, to see that every page that they name is in it. */
class Walk {
  readonly #descriptor: number
  readonly #pageBytes: number
  readonly #pages: number
  #seen = 0

  constructor(descriptor: number, pageBytes: number, pages: number) {
    this.#descriptor = descriptor
    this.#pageBytes = pageBytes
    this.#pages = pages
  }

  check(roots: readonly bigint[]): void {
    for (const root of roots) if (root !== noPage) this.#page(Number(root))
  }

  #page(number: number): void {
    this.#mustHave(number, 1)
    if (++this.#seen > this.#pages) throw corrupt('is damaged')
    const page = readAt(this.#descriptor, number * this.#pageBytes, this.#pageBytes)
    const flags = page.readUInt16LE(18)
    if ((flags & (branch | leaf)) === 0) throw corrupt('is damaged')
    const end = pageHeaderBytes + page.readUInt16LE(20)
    if (end > page.length) throw corrupt('is damaged')
    for (let at = pageHeaderBytes; at < end; at += 2) {
      const node = pageHeaderBytes + page.readUInt16LE(at)
      if (node + 8 > page.length) throw corrupt('is damaged')
      if ((flags & branch) !== 0) this.#page(page.readUInt32LE(node) + page.readUInt16LE(node + 4) * 2 ** 32)
      else this.#leafNode(page, node)
    }
  }

  #leafNode(page: Buffer, node: number): void {
    const flags = page.readUInt16LE(node + 4)
    const data = node + 8 + page.readUInt16LE(node + 6)
    const isInside = (bytes: number) => data + bytes <= page.length
    if ((flags & bigData) !== 0 && isInside(24))
      this.#mustHave(Number(page.readBigUInt64LE(data)), Number(page.readBigUInt64LE(data + 16)))
    if ((flags & subDatabase) !== 0 && isInside(48)) this.check([page.readBigUInt64LE(data + 40)])
  }

  #mustHave(number: number, count: number): void {
    if (number + count > this.#pages) throw corrupt('was cut short, or copied while it was written')
  }
}

function readAt(descriptor: number, position: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  return buffer.subarray(0, fs.readSync(descriptor, buffer, 0, bytes, position))
}

function corrupt(what: string): StoreError {
  return new StoreError('CORRUPT', `The data file ${what}. Restore it, or choose another path.`)
}
