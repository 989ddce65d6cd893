import { EventEmitter } from 'node:events'

/*
 * pg makes text of every column, in UTF-8, so that results in the binary form of the protocol are lost in it. A tap
 * stands between the socket of a connection and pg: it takes the rows of a statement that wants them as bytes, and
 * passes everything else on, in order. The protocol is that of PostgreSQL 3.0: a message is a letter, the length of
 * what follows (itself included) in 32 bits, and that.
 */

/** Takes the rows of the statement under way. */
export interface RowTaker {
  /** A row, from `start` on in `bytes`, which go on behind it. */
  takeRow(bytes: Buffer, start: number): void
}

/** pg listens to it instead of the socket. */
export class RowTap extends EventEmitter {
  #taker: RowTaker | undefined
  /** Bytes still to come of the message that is being passed on. */
  #passing = 0
  /** Parts of a row that is taken, or of the head of any message, until there is enough of it. */
  #parts: Buffer[] = []
  #partsBytes = 0
  #enough = 0

  /** All rows from now on are for this one, until it leaves. */
  take(taker: RowTaker): void {
    this.#taker = taker
  }

  /** It wants no more rows. */
  leave(taker: RowTaker): void {
    if (this.#taker === taker) this.#taker = undefined
  }

  /** The socket's bytes, in order. */
  push(chunk: Buffer): void {
    const bytes = this.#joined(chunk)
    if (bytes === undefined) return
    let passed = 0
    let at = 0
    while (at < bytes.length) {
      if (this.#passing > 0) {
        const step = Math.min(this.#passing, bytes.length - at)
        this.#passing -= step
        at += step
        continue
      }
      const left = bytes.length - at
      const size = left < headBytes ? headBytes : sizeOf(bytes, at)
      const isTaken = this.#taker !== undefined && left >= headBytes && bytes[at] === dataRow
      if (left >= headBytes && !isTaken) {
        this.#passing = size
        continue
      }
      this.#pass(bytes, passed, at)
      passed = at
      if (left < size) return this.#keep(bytes.subarray(at), size)
      this.#taker?.takeRow(bytes, at + headBytes)
      passed = at += size
    }
    this.#pass(bytes, passed, at)
  }

  #pass(bytes: Buffer, from: number, to: number): void {
    if (from < to) this.emit('data', bytes.subarray(from, to))
  }

  #keep(part: Buffer, enough: number): void {
    this.#parts = [part]
    this.#partsBytes = part.length
    this.#enough = enough
  }

  /** The kept parts and this one, if that is enough. */
  #joined(chunk: Buffer): Buffer | undefined {
    if (this.#partsBytes === 0) return chunk
    this.#parts.push(chunk)
    this.#partsBytes += chunk.length
    if (this.#partsBytes < this.#enough) return undefined
    const bytes = Buffer.concat(this.#parts, this.#partsBytes)
    this.#parts = []
    this.#partsBytes = 0
    return bytes
  }
}

const dataRow = 0x44
const headBytes = 5

/** Size of a message, with its letter. pg reports a length that makes no sense. */
function sizeOf(bytes: Buffer, at: number): number {
  return Math.max(headBytes, 1 + bytes.readUInt32BE(at + 1))
}

/** The part of pg's connections that is used here: it reads a socket, or what stands before it. */
export interface TappedConnection {
  attachListeners(stream: EventEmitter): void
}

const taps = new WeakMap<object, RowTap>()

/** Put a tap before pg's reading of a connection, which has not been made yet. With TLS what is deciphered is read. */
export function tapRows(connection: TappedConnection): void {
  const attachListeners = connection.attachListeners.bind(connection)
  connection.attachListeners = (stream) => {
    const tap = new RowTap()
    taps.set(connection, tap)
    attachListeners(tap)
    stream.on('data', (chunk: Buffer) => tap.push(chunk))
    stream.on('end', () => tap.emit('end'))
  }
}

/** The tap of a connection, if it has one. */
export function tapOf(connection: object): RowTap | undefined {
  return taps.get(connection)
}
