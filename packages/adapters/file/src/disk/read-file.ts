import fs, { constants } from 'node:fs'
import { notARecord, recordHeaderBytes } from '@unikv/core/adapter'
import { maxKeyBytes } from '../key-name.ts'

/** A symbolic link in place of a record is refused; a pipe in its place does not block. */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Most values fit, so that a read is one open, two reads of which the second finds the end, and one close. */
const firstReadBytes = 8_192

/** The largest value. */
export const maxValueBytes = 1_073_741_824

/** No record is larger: what is comes from elsewhere, and is not read into memory. */
const maxFileBytes = 2 + maxKeyBytes + recordHeaderBytes + maxValueBytes

/** The content of a file, or its first bytes. It uses callbacks: promises for each step cost as much as the steps. */
export function readFile(path: string, maxBytes?: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    fs.open(path, flags, (error, descriptor) => {
      if (error === null) new Reading(descriptor, maxBytes, resolve, reject).goOn()
      else reject(error)
    })
  })
}

/** The same at once. */
export function readFileNow(path: string, maxBytes?: number): Buffer {
  const descriptor = fs.openSync(path, flags)
  try {
    const content = new Content(maxBytes)
    while (content.take(fs.readSync(descriptor, ...content.free)))
      if (content.isLonger) content.grow(fs.fstatSync(descriptor).size)
    return content.bytes
  } finally {
    fs.closeSync(descriptor)
  }
}

/** Bytes as they come, into a buffer that most files fit into. A short read is not the end: an error may come after it. */
class Content {
  #buffer: Buffer
  #filled = 0
  /** Whether more than this buffer takes is wanted. */
  #isFirst: boolean

  constructor(maxBytes: number | undefined) {
    this.#buffer = Buffer.allocUnsafe(maxBytes ?? firstReadBytes)
    this.#isFirst = maxBytes === undefined
  }

  /** Arguments of `fs.read`: buffer, offset, length, position in the file. */
  get free(): readonly [Buffer, number, number, number] {
    return [this.#buffer, this.#filled, this.#buffer.length - this.#filled, this.#filled]
  }

  /** So many bytes came. Whether there is more to read. */
  take(count: number): boolean {
    this.#filled += count
    return count > 0 && (this.#filled < this.#buffer.length || this.#isFirst)
  }

  /** Whether the buffer is full and the file may be longer. */
  get isLonger(): boolean {
    return this.#filled === this.#buffer.length
  }

  /** Make room for a file of this size. @throws {StoreError} `CORRUPT` if no record is that large */
  grow(size: number): void {
    if (size > maxFileBytes) throw notARecord()
    const whole = Buffer.allocUnsafe(Math.max(this.#filled, size))
    this.#buffer.copy(whole)
    this.#buffer = whole
    this.#isFirst = false
  }

  /** The bytes that came, without the room that was not needed. */
  get bytes(): Buffer {
    const bytes = this.#buffer.subarray(0, this.#filled)
    return this.#isFirst ? Buffer.from(bytes) : bytes
  }
}

/** An open file that is read to its end, and closed. */
class Reading {
  readonly #descriptor: number
  readonly #content: Content
  readonly #resolve: (bytes: Buffer) => void
  readonly #reject: (error: unknown) => void

  constructor(
    descriptor: number,
    maxBytes: number | undefined,
    resolve: (bytes: Buffer) => void,
    reject: (error: unknown) => void,
  ) {
    this.#descriptor = descriptor
    this.#content = new Content(maxBytes)
    this.#resolve = resolve
    this.#reject = reject
  }

  goOn(): void {
    const [buffer, offset, length, position] = this.#content.free
    fs.read(this.#descriptor, buffer, offset, length, position, this.#onRead)
  }

  readonly #onRead = (error: Error | null, count: number): void => {
    if (error !== null) this.#end(error)
    else if (!this.#content.take(count)) this.#end()
    else if (this.#content.isLonger) fs.fstat(this.#descriptor, this.#onSize)
    else this.goOn()
  }

  readonly #onSize = (error: Error | null, stats: fs.Stats): void => {
    if (error !== null) return this.#end(error)
    try {
      this.#content.grow(stats.size)
      this.goOn()
    } catch (failure) {
      this.#end(failure)
    }
  }

  #end(failure?: unknown): void {
    fs.close(this.#descriptor, (error) => {
      if ((failure ?? error ?? undefined) === undefined) this.#resolve(this.#content.bytes)
      else this.#reject(failure ?? error)
    })
  }
}
